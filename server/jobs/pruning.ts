import type { Loop } from '../loop.ts'
import { watchClock } from './clock-jump.ts'
import { type HeldLoopDeps, startHeldLoop } from './held.ts'

/** Pause between two slices of periodic work, so that it doesn't slow down requests. */
const PAUSE_BETWEEN_SLICES_MS = 20

/**
 * Runs a piece of work in slices, at once and then every `everyMs`, on one node of a cluster. `slice` does a little and
 * returns whether there may be more.
 */
export function startPeriodic(
  deps: HeldLoopDeps,
  name: string,
  { everyMs, slice }: { everyMs: number; slice: () => Promise<boolean> },
): Loop {
  let nextAt = deps.clock.monotonic()
  return startHeldLoop(deps, name, [], async () => {
    if (!deps.cluster.partitions.hasFirst()) return Number.POSITIVE_INFINITY
    const wait = nextAt - deps.clock.monotonic()
    if (wait > 0) return wait
    const pause = (await slice()) ? PAUSE_BETWEEN_SLICES_MS : everyMs
    nextAt = deps.clock.monotonic() + pause
    return pause
  })
}

/** A clock that moves forward by more is wrong, or the machine slept. */
const MAX_TRUSTED_JUMP_MS = 3_600_000
/** How long someone has to correct the clock before past data counts as old. */
const DISTRUST_MS = 3_600_000

/**
 * The same for work that deletes what is older than some time. A clock that jumps a year ahead would make everything
 * old at once, so nothing is deleted for an hour after a jump, or until the clock has moved back.
 */
export function startPruning(
  deps: HeldLoopDeps,
  name: string,
  { everyMs, slice }: { everyMs: number; slice: () => Promise<boolean> },
): Loop {
  const checkClock = watchClock(deps.clock)
  let distrustedUntil = Number.NEGATIVE_INFINITY
  return startPeriodic(deps, name, {
    everyMs,
    async slice() {
      const jumpedMs = checkClock()?.by ?? 0
      if (jumpedMs < 0) distrustedUntil = Number.NEGATIVE_INFINITY
      if (jumpedMs > MAX_TRUSTED_JUMP_MS) {
        distrustedUntil = deps.clock.monotonic() + DISTRUST_MS
        deps.log.warn('pruning_paused', { loop: name, jumpedMs })
      }
      return deps.clock.monotonic() >= distrustedUntil && (await slice())
    },
  })
}
