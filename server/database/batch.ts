import type { Transaction } from './database.ts'
import { countDeferred, dropDeferred, saveDeferred } from './deferred-writes.ts'
import { runAsUnit } from './unit.ts'

/** A unit of work that waits for its turn. */
export interface QueuedUnit {
  orgId: string | undefined
  work: (tx: Transaction, first: unknown) => Promise<unknown>
  /** Its first query. A remote server gets it together with those of the units around it. */
  first: ((tx: Transaction) => Promise<unknown>) | undefined
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
}

/** A unit without the types of its results. */
export function queuedUnit<T, First>(unit: {
  orgId: string | undefined
  work: (tx: Transaction, first: First) => Promise<T>
  first: ((tx: Transaction) => Promise<First>) | undefined
  resolve: (value: T) => void
  reject: (reason: unknown) => void
}): QueuedUnit {
  return unit as QueuedUnit
}

/** Whose rows these units have written; undefined if one of them didn't say it. */
export function organizationsOf(units: QueuedUnit[]): ReadonlySet<string> | undefined {
  const ids = new Set<string>()
  for (const { orgId } of units) {
    if (orgId === undefined) return undefined
    ids.add(orgId)
  }
  return ids
}

/** The open transaction of an engine. */
export interface BatchTransaction {
  tx: Transaction
  /** Whether a query takes a round trip. */
  isRemote: boolean
  savepoint(): unknown
  release(): unknown
  rollbackTo(): unknown
  /** Returns how to ask later whether the transaction is still as it is now. `reason`: what a unit threw. */
  mark(): (reason: unknown) => boolean
  /** Waits for the changes that were sent to a server without waiting. Throws when one failed. */
  finishChanges?(): Promise<void>
  /** The first failure of these since the last call. What failed after it failed because of it. */
  takeFailure?(): unknown
  /** Runs a unit's work. */
  guard?<T>(work: () => Promise<T>): Promise<T>
  /** Whether this ends the transaction and not only its unit, such as a full disk. */
  isOver(reason: unknown): boolean
  /** What the caller of a unit gets for an error. */
  refusal(reason: unknown): unknown
}

/** The most units whose first queries are sent before the first of them runs. */
const MAX_AHEAD = 16

interface TakenUnit extends QueuedUnit {
  /** Its first query, when that was sent ahead. */
  begun: Begun | undefined
}

interface Begun {
  result: Promise<unknown>
  /** The names of the tables that it changes. */
  written: Set<string>
}

/** Takes units from the front of the queue into `batch`, until `isFull`. */
export function takeFrom(
  queue: QueuedUnit[],
  batch: QueuedUnit[],
  isFull: () => boolean,
): () => QueuedUnit | undefined {
  return () => {
    const unit = batch.length === 0 || !isFull() ? queue.shift() : undefined
    if (unit) batch.push(unit)
    return unit
  }
}

/** Takes the same units again. */
export function fromStart(batch: QueuedUnit[]): () => QueuedUnit | undefined {
  let place = 0
  return () => {
    const unit = batch[place]
    place += 1
    return unit
  }
}

/**
 * Runs units in one transaction, in their order, and then what they deferred. Returns how to settle them after the
 * commit. Nearly every unit succeeds or fails before it changes a row, so the first run uses no savepoints: on SQLite
 * these copy every page that a unit touches, and on PostgreSQL they are round trips. When something fails after a
 * change, this returns undefined: nothing may be kept, and the caller runs the units again with a savepoint each.
 * The names of the tables written are added to `written`.
 */
export async function runBatch(
  on: BatchTransaction,
  next: () => QueuedUnit | undefined,
  written: Set<string>,
  hasSavepoints = false,
): Promise<(() => void)[] | undefined> {
  const { tx } = on
  const settle: (() => void)[] = []
  dropDeferred(tx, 0)
  const guard = on.guard ?? ((work) => work())
  const finish = async () => {
    await saveDeferred(tx)
    await on.finishChanges?.()
  }
  /** What failed first. Throws it if it ends the transaction. */
  function reasonOf(thrown: unknown): unknown {
    const reason = on.takeFailure?.() ?? thrown
    if (on.isOver(reason)) throw reason
    return reason
  }
  const isAhead = on.isRemote && !hasSavepoints
  const taken: TakenUnit[] = []
  function take(): TakenUnit | undefined {
    let unit = taken.length === 0 ? next() : undefined
    while (unit) {
      taken.push({ ...unit, begun: isAhead ? begin(unit) : undefined })
      unit = isAhead && unit.first && taken.length < MAX_AHEAD ? next() : undefined
    }
    return taken.shift()
  }
  function begin({ first }: QueuedUnit): Begun | undefined {
    if (!first) return undefined
    const ahead = new Set<string>()
    const begun = { result: runAsUnit(() => first(tx), ahead), written: ahead }
    // The unit awaits it, unless one before it has failed.
    begun.result.catch(() => {})
    return begun
  }
  for (let unit = take(); unit; unit = take()) {
    const { work, first, begun, resolve, reject } = unit
    const isUntouched = on.mark()
    const deferred = countDeferred(tx)
    if (hasSavepoints) await on.savepoint()
    try {
      const value = await runAsUnit(
        () =>
          guard(async () => {
            const result = await work(tx, await (begun ? begun.result : first?.(tx)))
            if (hasSavepoints) await finish()
            return result
          }),
        written,
      )
      for (const table of begun?.written ?? []) written.add(table)
      if (hasSavepoints) await on.release()
      settle.push(() => resolve(value))
    } catch (thrown) {
      const reason = reasonOf(thrown)
      if (!hasSavepoints && (begun?.written.size || !isUntouched(reason))) return undefined
      dropDeferred(tx, deferred)
      if (hasSavepoints) {
        await on.rollbackTo()
        await on.release()
        // By now, all that the unit sent has failed or was undone.
        on.takeFailure?.()
      }
      settle.push(() => reject(on.refusal(reason)))
    }
  }
  if (hasSavepoints) return settle
  try {
    await runAsUnit(() => guard(finish), written)
  } catch (thrown) {
    reasonOf(thrown)
    return undefined
  }
  return settle
}
