/** What else the process has to do comes first: reads of SQLite settle within one turn of the event loop. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
