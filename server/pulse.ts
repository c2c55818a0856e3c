/** Calls its listeners after every commit. It has no payload: each listener looks at the rows. */
export interface Pulse {
  beat(): void
  /** Returns a function that removes the listener. */
  listen(call: () => void): () => void
}

export function createPulse(): Pulse {
  const listeners = new Set<() => void>()
  return {
    beat() {
      for (const call of listeners) call()
    },
    listen(call) {
      listeners.add(call)
      return () => listeners.delete(call)
    },
  }
}
