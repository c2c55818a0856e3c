import { expect, test } from 'bun:test'
import { systemClock } from '../../server/clock.ts'
import { engine } from '../../server/database/columns.ts'
import { queryCounts } from '../../server/database/sqlite/sqlite-connections.ts'
import { startBellhop } from '../support/bellhop.ts'

/** Of the request itself: the customer, the ticket, its message, the event, its deliveries, and the counters. */
const OF_REQUEST = 7
/** Eight of the search index, and two of what looks at the log for reactions. */
const OF_BACKGROUND = 10
/** Longer than any loop rests while it has something to do. */
const QUIET_MS = 300

test.if(engine === 'sqlite')('a created ticket causes at most 10 queries in the background', async () => {
  const bellhop = await startBellhop()
  const client = await bellhop.organization()
  const body = { subject: 'A', message: 'Hello', customer: { name: 'Ana', email: 'ana@example.com' } }
  // The first one also starts the index, which merges for the first time.
  for (let number = 0; number < 2; number += 1) {
    await client.call('POST', '/tickets', { body })
    await untilQuiet()
  }
  const before = queryCounts.started
  expect((await client.call('POST', '/tickets', { body })).status).toBe(201)
  await untilQuiet()
  expect(queryCounts.started - before).toBeLessThanOrEqual(OF_REQUEST + OF_BACKGROUND)
  await bellhop.stop()
})

/** Until no loop has asked anything for a while. */
async function untilQuiet(): Promise<void> {
  for (let last = -1; last !== queryCounts.started; ) {
    last = queryCounts.started
    const { promise, resolve } = Promise.withResolvers<void>()
    systemClock.after(QUIET_MS, resolve)
    await promise
  }
}
