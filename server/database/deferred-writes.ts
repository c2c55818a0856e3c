import type { Transaction } from './database.ts'
import { beforeUnitQuery } from './unit.ts'

type Save<Item> = (tx: Transaction, items: Item[]) => Promise<void>

interface Deferred {
  save: Save<never>
  item: unknown
}

const deferred = new WeakMap<Transaction, Deferred[]>()

/**
 * Rows that the units of a commit write together, in the end and in as few statements as possible: a unit calls the
 * returned function, and `save` runs once with what all of them gave it. A unit that reads or changes such rows calls
 * `saveDeferred` first.
 */
export function deferredWrite<Item>(save: Save<Item>): (tx: Transaction, item: Item) => void {
  return (tx, item) => {
    beforeUnitQuery(undefined)
    listOf(tx).push({ save, item })
  }
}

/** Runs in a unit: the last of a commit, or one that needs the rows. */
export async function saveDeferred(tx: Transaction): Promise<void> {
  const bySave = Map.groupBy(listOf(tx).splice(0), ({ save }) => save as Save<unknown>)
  for (const [save, given] of bySave) {
    await save(
      tx,
      given.map(({ item }) => item),
    )
  }
}

/** How many writes are deferred. */
export function countDeferred(tx: Transaction): number {
  return listOf(tx).length
}

/** Drops those after the first `kept`. */
export function dropDeferred(tx: Transaction, kept: number): void {
  listOf(tx).splice(kept)
}

function listOf(tx: Transaction): Deferred[] {
  const known = deferred.get(tx)
  if (known) return known
  const list: Deferred[] = []
  deferred.set(tx, list)
  return list
}
