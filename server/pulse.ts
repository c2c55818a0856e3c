import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/** Calls its listeners after commits. It doesn't say what has changed: each listener looks at the rows. */
export interface Pulse {
  /**
   * Calls those who listen to one of these tables, named as in the database. Without names, it calls everyone. `orgIds`:
   * whose rows were written; undefined: anyone's.
   */
  beat(written?: ReadonlySet<string>, orgIds?: ReadonlySet<string>): void
  /**
   * Listens to commits that write one of these tables; without tables, to all; with none, only to beats that call everyone.
   * Returns how to end it.
   */
  listen(call: (orgIds?: ReadonlySet<string>) => void, tables?: PgTable[]): () => void
}

export function createPulse(): Pulse {
  const listeners = new Map<Parameters<Pulse['listen']>[0], string[] | undefined>()
  return {
    beat(written, orgIds) {
      for (const [call, tables] of listeners) {
        if (!written || !tables || tables.some((table) => written.has(table))) call(orgIds)
      }
    },
    listen(call, tables) {
      const listener: typeof call = (orgIds) => call(orgIds)
      listeners.set(listener, tables?.map(getTableName))
      return () => listeners.delete(listener)
    },
  }
}
