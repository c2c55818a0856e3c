import type { Deps } from '../deps.ts'
import { type Loop, startLoop } from '../loop.ts'
import { pruneIdempotencyKeys } from './idempotency.ts'

const PRUNE_EVERY_MS = 600_000
/** Between two slices, so that pruning is never in anybody's way. */
const SLICE_REST_MS = 20

/** Forgets answers whose 24 hours are over, now and then. */
export function startPruning(deps: Deps): Loop {
  let nextAt = deps.clock.monotonic()
  return startLoop(deps, 'prune_idempotency_keys', async () => {
    const rest = nextAt - deps.clock.monotonic()
    if (rest > 0) return rest
    const pause = (await pruneIdempotencyKeys(deps)) ? SLICE_REST_MS : PRUNE_EVERY_MS
    nextAt = deps.clock.monotonic() + pause
    return pause
  })
}
