import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import { type Loop, startLoop } from './loop.ts'
import type { Pulse } from './pulse.ts'

/** Between two slices, so that a sweep is never in anybody's way. */
const SLICE_REST_MS = 20

/** Forgets what is old now and then, beginning at once. `slice` does a little and answers whether there may be more. */
export function startSweeping(
  deps: { clock: Clock; log: Log; pulse: Pulse },
  name: string,
  { everyMs, slice }: { everyMs: number; slice: () => Promise<boolean> },
): Loop {
  let nextAt = deps.clock.monotonic()
  return startLoop(deps, name, async () => {
    const rest = nextAt - deps.clock.monotonic()
    if (rest > 0) return rest
    const pause = (await slice()) ? SLICE_REST_MS : everyMs
    nextAt = deps.clock.monotonic() + pause
    return pause
  })
}
