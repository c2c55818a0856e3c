import type { Deps } from '../deps.ts'
import { type Loop, startPeriodic } from '../loop.ts'
import { pruneIdempotencyKeys } from './idempotency.ts'

const PRUNE_EVERY_MS = 600_000

/** Forgets answers whose 24 hours are over, now and then. */
export function startPruning(deps: Deps): Loop {
  return startPeriodic(deps, 'prune_idempotency_keys', {
    everyMs: PRUNE_EVERY_MS,
    slice: () => pruneIdempotencyKeys(deps),
  })
}
