export type KeptValues = ReturnType<typeof openKeptValues>

/** Values that survive a reload. In memory only, where the browser forbids storage or it is full. */
export function openKeptValues(prefix: string, pickStorage: () => Storage) {
  const storage = tryStorage(pickStorage)
  const memory = new Map<string, string>()
  let isLasting = storage !== undefined

  return {
    /** False once something couldn't be stored. */
    isLasting: () => isLasting,
    read<Value>(name: string): Value | undefined {
      const text = memory.get(name) ?? storage?.getItem(prefix + name)
      if (text === null || text === undefined) return undefined
      try {
        return JSON.parse(text)
      } catch {
        return undefined
      }
    },
    write(name: string, value: unknown): void {
      const text = JSON.stringify(value)
      try {
        storage?.setItem(prefix + name, text)
        if (storage) return void memory.delete(name)
      } catch {
        isLasting = false
      }
      memory.set(name, text)
    },
    remove(name: string): void {
      memory.delete(name)
      storage?.removeItem(prefix + name)
    },
    /** Names that begin with `start`. */
    names(start: string): string[] {
      const stored = storage ? Object.keys(storage).filter((name) => name.startsWith(prefix)) : []
      const all = [...stored.map((name) => name.slice(prefix.length)), ...memory.keys()]
      return [...new Set(all)].filter((name) => name.startsWith(start))
    },
    /** Another tab has changed a value. Returns how to stop. */
    onChange(run: (name: string) => void): () => void {
      const listen = ({ key, storageArea }: StorageEvent) => {
        if (storageArea === storage && key?.startsWith(prefix)) run(key.slice(prefix.length))
      }
      addEventListener('storage', listen)
      return () => removeEventListener('storage', listen)
    },
  }
}

/** Browsers that forbid storage throw when it is read, or when something is written. */
function tryStorage(pick: () => Storage): Storage | undefined {
  const probe = 'bellhop:probe'
  try {
    const storage = pick()
    storage.setItem(probe, '')
    storage.removeItem(probe)
    return storage
  } catch {
    return undefined
  }
}

const LENGTH = 26

/** An id that this page makes, for a conversation or a message: the server stores a repeated one once. */
export function newClientId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(LENGTH)), (byte) => (byte & 31).toString(32)).join(
    '',
  )
}
