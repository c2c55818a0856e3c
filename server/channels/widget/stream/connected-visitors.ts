import { and, eq } from 'drizzle-orm'
import { matches } from '../../../database/matches.ts'
import { command, integer, text } from '../../../database/statement.ts'
import { visitors } from '../../../database/tables/widgets.ts'
import { writeQuietly } from '../../../database/unit.ts'
import type { Deps } from '../../../deps.ts'

/** A node that is killed leaves its visitors connected for so long. */
const CONNECTED_MS = 90_000
const RENEW_BEFORE_MS = 30_000
const SAVE_EVERY_MS = 5_000
const MAX_PER_UNIT = 200

interface Connected {
  orgId: string
  id: string
}

/** Tells the other nodes, in rows, which visitors have a page connected to this one. On SQLite there are none. */
export function createConnectedVisitors(deps: Deps) {
  if (deps.database.engine === 'sqlite') return { open() {}, close() {}, async stop() {} }
  const { clock, database, log } = deps
  /** Those who are connected, and until when their row says so. */
  const savedUntil = new Map<string, Connected & { until: number }>()
  const gone = new Map<string, Connected & { until: number }>()
  let isSaving = false
  let isStopped = false
  let cancelTimer = clock.after(SAVE_EVERY_MS, saveAgain)

  function saveAgain(): void {
    save()
      .catch((error: unknown) => log.warn('connected_visitors_not_saved', { error }))
      .finally(() => {
        if (!isStopped) cancelTimer = clock.after(SAVE_EVERY_MS, saveAgain)
      })
  }

  async function save(): Promise<void> {
    if (isSaving) return
    isSaving = true
    try {
      const until = clock.now() + CONNECTED_MS
      const due = [...savedUntil.values()]
        .filter((one) => one.until < until - CONNECTED_MS + RENEW_BEFORE_MS)
        .sort(inOrder)
      for (let start = 0; start < due.length; start += MAX_PER_UNIT) {
        const some = due.slice(start, start + MAX_PER_UNIT)
        await database.write(undefined, async (tx) => {
          writeQuietly()
          for (const { orgId, id } of some) await connect(tx, { orgId, id, until })
        })
        for (const one of some) one.until = until
      }
      const ended = [...gone].sort(([, one], [, other]) => inOrder(one, other))
      if (ended.length === 0) return
      await database.write(undefined, async (tx) => {
        writeQuietly()
        for (const [, one] of ended) await disconnect(tx, one)
      })
      for (const [id, one] of ended) if (gone.get(id) === one) gone.delete(id)
    } finally {
      isSaving = false
    }
  }

  return {
    /** The first page of a browser was connected. */
    open({ orgId, id }: Connected): void {
      const before = gone.get(id)
      gone.delete(id)
      savedUntil.set(id, before ?? { orgId, id, until: 0 })
    },
    /** Its last page was closed. */
    close({ id }: Connected): void {
      const one = savedUntil.get(id)
      savedUntil.delete(id)
      if (one && one.until > 0) gone.set(id, one)
    },
    async stop(): Promise<void> {
      isStopped = true
      cancelTimer()
      await save().catch((error: unknown) => log.warn('connected_visitors_not_saved', { error }))
    },
  }
}

/** The order on all nodes: each locks the rows until its commit. */
function inOrder(one: Connected, other: Connected): number {
  return one.id < other.id ? -1 : 1
}

const BY_ROW = { orgId: text, id: text, until: integer }

const connect = command('visitors_connect', BY_ROW, (tx, p) =>
  tx
    .update(visitors)
    .set({ connectedUntil: p.until })
    .where(matches(visitors, { orgId: p.orgId, id: p.id })),
)

/** Unless another node has them now. */
const disconnect = command('visitors_disconnect', BY_ROW, (tx, p) =>
  tx
    .update(visitors)
    .set({ connectedUntil: null })
    .where(and(matches(visitors, { orgId: p.orgId, id: p.id }), eq(visitors.connectedUntil, p.until))),
)
