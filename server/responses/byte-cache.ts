interface Entry<Value> {
  version: string
  value: Value
  bytes: number
}

/** Caches finished values by name and version, up to a number of bytes. The most recently used ones stay. */
export function createByteCache<Value>(maxBytes: number, bytesOf: (value: Value) => number) {
  const entries = new Map<string, Entry<Value>>()
  let total = 0

  function remove(name: string, { bytes }: Entry<Value>): void {
    entries.delete(name)
    total -= bytes
  }

  return {
    get(name: string, version = ''): Value | undefined {
      const entry = entries.get(name)
      if (entry?.version !== version) return undefined
      entries.delete(name)
      entries.set(name, entry)
      return entry.value
    },
    keep(name: string, value: Value, version = ''): void {
      const old = entries.get(name)
      if (old) remove(name, old)
      const bytes = 2 * name.length + bytesOf(value) + 200
      entries.set(name, { version, value, bytes })
      total += bytes
      for (const [oldest, entry] of entries) {
        if (total <= maxBytes) return
        remove(oldest, entry)
      }
    },
  }
}

/** A text with characters beyond Latin-1 takes two bytes for each. It is counted as such. */
export function bytesOfText(text: string): number {
  return 2 * text.length
}
