import { AsyncLocalStorage } from 'node:async_hooks'

/** A programming error in a unit of work, not the caller's mistake. The unit was rolled back. */
export class UnitFault extends Error {
  override name = 'UnitFault'
}

/** No loop, page, or cache depends on these, so their changes aren't announced. */
const UNFOLLOWED: ReadonlySet<string> = new Set(['rolling_windows'])

const unitOfCaller = new AsyncLocalStorage<{ isOver: boolean; isQuiet: boolean; written: Set<string> }>()

/**
 * Runs `work` as one unit, across every await. Its queries are refused once the unit has ended. The names of the tables
 * that it writes are added to `written`.
 */
export async function runAsUnit<T>(work: () => Promise<T>, written = new Set<string>()): Promise<T> {
  const unit = { isOver: false, isQuiet: false, written }
  try {
    // Awaited inside: a query of Drizzle's runs when it is awaited, and `work` may return one.
    return await unitOfCaller.run(unit, async () => await work())
  } finally {
    unit.isOver = true
  }
}

/** A nested write would wait for itself, or be kept when the outer one is rolled back. */
export function refuseInsideUnit(what: string): void {
  if (unitOfCaller.getStore()) throw new UnitFault(`A ${what} can't run inside a write. Use the write's tx.`)
}

/** Called before each query of a unit. A late one would run in another unit, or outside of any. */
export function beforeUnitQuery(table: string | undefined): void {
  const unit = unitOfCaller.getStore()
  if (!unit || unit.isOver) throw new UnitFault('A query ran after its unit of work had ended.')
  if (table !== undefined && !UNFOLLOWED.has(table) && !unit.isQuiet) unit.written.add(table)
}

/**
 * Says that no one needs to know what the unit writes after this, such as when something was last used: otherwise, each of
 * these commits would empty the caches of all nodes.
 */
export function writeQuietly(): void {
  const unit = unitOfCaller.getStore()
  if (unit) unit.isQuiet = true
}

/** The table that a query built by Drizzle writes; undefined for one that only reads. */
export function tableWrittenBy(query: string): string | undefined {
  return /\b(?:insert into|update|delete from) "(\w+)"/.exec(query)?.[1]
}
