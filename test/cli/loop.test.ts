import { expect, test } from 'bun:test'
import { createLog } from '../../server/log.ts'
import { startLoop } from '../../server/loop.ts'
import { createPulse } from '../../server/pulse.ts'
import { createManualClock } from '../support/clock.ts'

test('a loop that fails rests before it runs again, whatever is committed meanwhile', async () => {
  const clock = createManualClock()
  const pulse = createPulse()
  const lines: string[] = []
  const log = createLog('error', false, (line) => lines.push(line), clock.now)
  let runs = 0
  const loop = startLoop({ clock, log, pulse }, 'broken', async () => {
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
  expect([runs, lines.length]).toEqual([2, 2])
  await loop.stop()
})
