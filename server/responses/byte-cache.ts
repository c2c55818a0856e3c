interface Kept {
  version: string
  text: string
}

/** Caches finished texts by name and version, up to a number of bytes. The most recently used ones stay. */
export function createByteCache(maxBytes: number) {
  const entries = new Map<string, Kept>()
  let bytes = 0

  function remove(name: string, { text }: Kept): void {
    entries.delete(name)
    bytes -= bytesOf(name, text)
  }

  return {
    get(name: string, version: string): string | undefined {
      const known = entries.get(name)
      if (known?.version !== version) return undefined
      entries.delete(name)
      entries.set(name, known)
      return known.text
    },
    keep(name: string, version: string, text: string): void {
      const old = entries.get(name)
      if (old) remove(name, old)
      entries.set(name, { version, text })
      bytes += bytesOf(name, text)
      for (const [oldest, entry] of entries) {
        if (bytes <= maxBytes) return
        remove(oldest, entry)
      }
    },
  }
}

/** A text with characters beyond Latin-1 takes two bytes for each. It is counted as such. */
function bytesOf(name: string, text: string): number {
  return 2 * (name.length + text.length) + 200
}
