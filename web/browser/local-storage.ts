/** Reads a value from local storage. Returns the fallback if there is none, or it isn't valid. */
export function readStored<Value>(
  key: string,
  isValue: (value: unknown) => value is Value,
  fallback: Value,
): Value {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValue(value) ? value : fallback
  } catch {
    return fallback
  }
}

export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Without storage, the value is lost when the page is closed.
  }
}
