/** How a ticket is called: its id, or the end of it behind `#`, which the page shows in its header. */
const CALLED = /^(?:#([0-9a-z]{6})|(tkt_[0-9a-z]{26}))$/i
const HANDLE_LENGTH = 6

/** The id or the handle that a word is; undefined for any other word. */
export function calledBy(word: string): string | undefined {
  const [, handle, id] = CALLED.exec(word) ?? []
  return (handle ?? id)?.toLowerCase()
}

/** The handle of an id; one stays what it is. */
export function handleOf(called: string): string {
  return called.slice(-HANDLE_LENGTH)
}
