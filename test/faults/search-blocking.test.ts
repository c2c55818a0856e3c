import { afterAll, expect, test } from 'bun:test'
import { listInbox } from '../../server/inbox/list-inbox.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

const FOUND = 16
const MESSAGES = 10
const LONG = 'Größe überprüfen für Müller, déjà vu: '.repeat(100)

/** How often other work could run on the event loop meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const look = () => {
    turns += 1
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  return turns
}

test('a search through long threads does not block other requests', async () => {
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId)
  for (let made = 0; made < FOUND; made += 1) {
    const { id } = await makeTicket(acme, { subject: 'Kettle', message: LONG })
    for (let said = 0; said < MESSAGES; said += 1) {
      const posted = await ben.call('POST', `/v1/tickets/${id}/messages`, { body: { text: LONG } })
      expect(posted.status, posted.text).toBe(201)
    }
  }
  await indexed(bellhop)
  // Not over HTTP, whose sockets give way at moments of their own.
  const search = async () => {
    // No text has both words, so every text is read to its end.
    const found = await bellhop.deps.expensiveReads.run({}, (expensive) =>
      listInbox(bellhop.deps, acme.orgId, { me: ben.id, q: 'kettle müller', expensive }),
    )
    expect(found.rows).toHaveLength(FOUND)
  }
  expect(await turnsDuring(search)).toBeGreaterThanOrEqual(FOUND)
})
