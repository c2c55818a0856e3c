import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

const FOUND = 16
const MESSAGES = 10
const LONG = 'Größe überprüfen für Müller, déjà vu: '.repeat(100)

/** The longest time that the event loop was busy at a stretch, as a share of the whole. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  let turnAt = startedAt
  let longest = 0
  let isOver = false
  const look = () => {
    longest = Math.max(longest, performance.now() - turnAt)
    turnAt = performance.now()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  return longest / (performance.now() - startedAt)
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
  const search = async () => {
    // No text has both words, so every text is read to its end.
    const found = await ben.call<{ data: unknown[] }>('GET', '/console/tickets?q=kettle%20m%C3%BCller')
    expect(found.json.data).toHaveLength(FOUND)
  }
  await search()
  expect(await longestBlock(search)).toBeLessThan(1 / 3)
})
