/** Why the program cannot start, in one plain sentence for the person at the terminal. */
export class StartError extends Error {
  override name = 'StartError'
}
