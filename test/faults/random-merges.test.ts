import { afterAll, test } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { checkRandomMerges } from '../support/random-merges.ts'

// As test/moves/random-merges.test.ts, with many more pairs.

const PAIRS = 500
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

test('500 random pairs are merged, answered by mail and separated', async () => {
  await checkRandomMerges(bellhop, { clock, pairs: PAIRS, seed: 2026 })
}, 1_200_000)
