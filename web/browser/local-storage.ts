/** What this browser remembers between visits; the fallback where it keeps nothing, or something else. */
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
    // A browser that keeps nothing forgets it when the page is closed.
  }
}
