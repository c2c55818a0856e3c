// Without storage, such as in a private window of some browsers, nothing is kept and nothing fails.

/** Reads a value from local storage. Returns the fallback if there is none, or it isn't valid. */
export function readStored<Value>(
  key: string,
  isValue: (value: unknown) => value is Value,
  fallback: Value,
): Value {
  return attempt(() => parseStored(localStorage.getItem(key), isValue, fallback)) ?? fallback
}

/** The same for a value that another tab has just stored. */
export function parseStored<Value>(
  text: string | null,
  isValue: (value: unknown) => value is Value,
  fallback: Value,
): Value {
  const value: unknown = attempt(() => JSON.parse(text ?? 'null'))
  return isValue(value) ? value : fallback
}

export function store(key: string, value: unknown): void {
  attempt(() => localStorage.setItem(key, JSON.stringify(value)))
}

export function removeStored(key: string): void {
  attempt(() => localStorage.removeItem(key))
}

/** The keys in use that begin like this. */
export function storedKeys(prefix: string): string[] {
  return attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix))) ?? []
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
