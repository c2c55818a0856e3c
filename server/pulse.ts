import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** Calls its listeners after commits. It has no payload: each listener looks at the rows. */
export interface Pulse {
  /** Calls those who listen to one of these tables, named as in the database. Without names, it calls everyone. */
  beat(written?: ReadonlySet<string>): void
  /**
   * Listens to commits that write one of these tables; without tables, to all; with none, only to beats that call everyone.
   * Returns how to end it.
   */
  listen(call: () => void, tables?: PgTable[]): () => void
}

export function createPulse(): Pulse {
  const listeners = new Map<() => void, string[] | undefined>()
  return {
    beat(written) {
      for (const [call, tables] of listeners) {
        if (!written || !tables || tables.some((table) => written.has(table))) call()
      }
    },
    listen(call, tables) {
      const listener = () => call()
      listeners.set(listener, tables?.map(getTableName))
      return () => listeners.delete(listener)
    },
  }
}
