import { expect, test } from 'bun:test'
import { systemClock } from '../../server/clock.ts'
import { engine } from '../../server/database/columns.ts'
import { queryCounts } from '../../server/database/sqlite/sqlite-connections.ts'
import { type Client, clientWithKey, startBellhop } from '../support/bellhop.ts'
import { inBackground, logStatements } from '../support/logged-statements.ts'
import { sharedSettings } from '../support/servers.ts'

/** Of the request itself: the customer, the ticket, its message, the event, its deliveries, and the counters. */
const OF_REQUEST = 7
/** Of the search index, and one of what looks at the log for reactions. */
const OF_BACKGROUND = 8
/** Longer than any loop rests while it has something to do. */
const QUIET_MS = 300

test.if(engine === 'sqlite')('a created ticket causes at most 8 queries in the background', async () => {
  const bellhop = await startBellhop()
  const client = await bellhop.organization()
  const count = () => queryCounts.started
  // The first one also starts the index, which merges for the first time.
  for (let number = 0; number < 2; number += 1) await createTicket(client, count)
  const before = count()
  await createTicket(client, count)
  expect(count() - before).toBeLessThanOrEqual(OF_REQUEST + OF_BACKGROUND)
  await bellhop.stop()
})

test.if(engine === 'postgresql')(
  'a created ticket causes at most 8 queries in the background of two servers together, on whichever it is created',
  async () => {
    const settings = await sharedSettings()
    const readLog = await logStatements(settings.DATABASE_URL ?? '', 'new sessions of the database')
    const nodes = await Promise.all([startBellhop({ settings }), startBellhop({ settings })])
    const { orgId } = await nodes[0].organization()
    const clients = await Promise.all(nodes.map(({ deps, url }) => clientWithKey(deps, url, orgId, {})))
    const count = async () => inBackground(await readLog()).length
    for (const client of [...clients, ...clients]) await createTicket(client, count)
    for (const client of clients) {
      const before = await count()
      await createTicket(client, count)
      const caused = inBackground(await readLog()).slice(before)
      expect(caused.length, caused.join('\n')).toBeLessThanOrEqual(OF_BACKGROUND)
    }
    await Promise.all(nodes.map((node) => node.stop()))
  },
)

/** Creates one and waits until no loop has asked anything for a while. */
async function createTicket(client: Client, count: () => number | Promise<number>): Promise<void> {
  const body = { subject: 'A', message: 'Hello', customer: { name: 'Ana', email: 'ana@example.com' } }
  expect((await client.call('POST', '/tickets', { body })).status).toBe(201)
  for (let last = -1; last !== (await count()); ) {
    last = await count()
    const { promise, resolve } = Promise.withResolvers<void>()
    systemClock.after(QUIET_MS, resolve)
    await promise
  }
}
