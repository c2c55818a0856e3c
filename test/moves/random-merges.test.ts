import { afterAll, expect, test } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { checkRandomMerges } from '../support/random-merges.ts'

const PAIRS = 12
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

test('random pairs are merged, answered by mail and separated: every row is as before, but for later ones', async () => {
  await checkRandomMerges(bellhop, { clock, pairs: PAIRS, seed: 1 })
  expect(bellhop.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([])
})
