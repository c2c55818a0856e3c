import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { indexed } from '../support/search.ts'
import { makeTicket } from '../support/tickets.ts'

const THREADS = 12
const MESSAGES = 10
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await (await bellhop.organization()).withKey({ rateLimit: 1_000_000 })
const ben = await signInAgent(bellhop, acme.orgId)

test('long threads with many new messages are each read a few times, not once per message', async () => {
  const ids: string[] = []
  for (let thread = 0; thread < THREADS; thread += 1) ids.push((await makeTicket(acme)).id)
  await indexed(bellhop, clock)
  const text = 'Some words of a long message. '.repeat(140)
  for (let turn = 0; turn < MESSAGES; turn += 1) {
    for (const id of ids) {
      expect((await acme.call('POST', `/tickets/${id}/messages`, { body: { text } })).status).toBe(201)
    }
  }
  let commits = 0
  const stop = bellhop.deps.pulse.listen(() => {
    commits += 1
  })
  await indexed(bellhop, clock)
  stop()
  // Other parts of the service commit too.
  expect(commits).toBeLessThan(THREADS * 6)
  const answer = await ben.call<{ data: { id: string }[] }>('GET', '/console/tickets?q=long%20message')
  expect(answer.json.data.map(({ id }) => id)).toEqual(ids.toReversed())
})
