import { expect, test } from 'bun:test'
import { alone } from '../../server/cluster/cluster.ts'
import { startPruning } from '../../server/jobs/pruning.ts'
import { createLog } from '../../server/log.ts'
import { startLoop } from '../../server/loop.ts'
import { createPulse } from '../../server/pulse.ts'
import { createManualClock } from '../support/clock.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

test('a loop that fails rests before it runs again, whatever is committed meanwhile', async () => {
  const clock = createManualClock()
  const pulse = createPulse()
  const lines: string[] = []
  const log = createLog('error', false, (line) => lines.push(line), clock.now)
  let runs = 0
  const loop = startLoop({ clock, log, pulse }, 'broken', [], async () => {
    runs += 1
    throw new Error('The disk failed.')
  })
  for (let commit = 0; commit < 100; commit += 1) {
    pulse.beat()
    await Bun.sleep(0)
  }
  expect([runs, lines.length]).toEqual([1, 1])
  clock.advance(1_000)
  await Bun.sleep(0)
  expect([runs, lines.length]).toEqual([2, 1])
  // It says so once a minute.
  clock.advance(60_000)
  await Bun.sleep(0)
  expect(lines.length).toBe(2)
  await loop.stop()
})

test('nothing is deleted for an hour after the clock was set a year forward, or until it is set back', async () => {
  const clock = createManualClock()
  const lines: string[] = []
  const log = createLog('warn', false, (line) => lines.push(line), clock.now)
  let runs = 0
  const slice = async () => {
    runs += 1
    return false
  }
  const deps = { clock, log, pulse: createPulse(), cluster: alone }
  const loop = startPruning(deps, 'retention', { everyMs: MINUTE, slice })
  const passes = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      clock.advance(MINUTE)
      await Bun.sleep(0)
    }
    return runs
  }
  await Bun.sleep(0)
  expect(await passes(2)).toBe(3)
  clock.jump(365 * DAY)
  expect(await passes(59)).toBe(3)
  clock.jump(-365 * DAY)
  expect(await passes(1)).toBe(4)
  clock.jump(365 * DAY)
  expect(await passes(60)).toBe(4)
  expect(await passes(2)).toBeGreaterThan(4)
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['pruning_paused', 'pruning_paused'])
  await loop.stop()
})
