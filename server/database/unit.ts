import { AsyncLocalStorage } from 'node:async_hooks'

/** A mistake of ours in a unit of work, never the caller's: the unit was rolled back. */
export class UnitFault extends Error {
  override name = 'UnitFault'
}

const unitOfCaller = new AsyncLocalStorage<{ isOver: boolean }>()

/** Everything `work` starts belongs to one unit, through every await; once that has ended, its queries are refused. */
export async function runAsUnit<T>(work: () => Promise<T>): Promise<T> {
  const unit = { isOver: false }
  try {
    return await unitOfCaller.run(unit, work)
  } finally {
    unit.isOver = true
  }
}

/** A write inside a write would wait for itself, or be kept although the outer one is not. */
export function refuseInsideUnit(what: string): void {
  if (unitOfCaller.getStore()) throw new UnitFault(`There is no ${what} inside a write. Use its own tx.`)
}

/** A query that comes too late would run in another unit, or outside of any. */
export function refuseOutsideUnit(): void {
  const unit = unitOfCaller.getStore()
  if (!unit || unit.isOver) throw new UnitFault('A query came after its unit of work had ended.')
}
