import { AsyncLocalStorage } from 'node:async_hooks'

/** A programming error in a unit of work, not the caller's mistake. The unit was rolled back. */
export class UnitFault extends Error {
  override name = 'UnitFault'
}

const unitOfCaller = new AsyncLocalStorage<{ isOver: boolean }>()

/** Runs `work` as one unit, across every await. Its queries are refused once the unit has ended. */
export async function runAsUnit<T>(work: () => Promise<T>): Promise<T> {
  const unit = { isOver: false }
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

/** A late query would run in another unit, or outside of any. */
export function refuseOutsideUnit(): void {
  const unit = unitOfCaller.getStore()
  if (!unit || unit.isOver) throw new UnitFault('A query ran after its unit of work had ended.')
}
