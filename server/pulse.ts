/** Beats after every commit. Carries nothing: whoever listens looks into the rows. */
export interface Pulse {
  beat(): void
  /** Listens; the answer stops listening. */
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
