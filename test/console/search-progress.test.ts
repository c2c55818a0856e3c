import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { indexed } from '../support/search.ts'

const TICKETS = 1_500
const ALL = TICKETS.toLocaleString('en')

interface Progress {
  progress: { indexed: number; total: number } | null
}
interface Report {
  findings: { check: string; state: string; detail: string }[]
}

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

test('administrators see how far the index of the search is after many tickets came at once', async () => {
  const { orgId } = await bellhop.organization('Acme')
  const other = await bellhop.organization('Globex')
  const ana = await signInAgent(bellhop, orgId, { role: 'admin' })
  const greta = await signInAgent(bellhop, other.orgId, { role: 'admin' })
  const progressOf = async (agent: typeof ana) =>
    (await agent.call<Progress>('GET', '/console/search-progress')).json.progress
  const finding = async (agent: typeof ana) => {
    const { json } = await agent.call<Report>('GET', '/console/doctor')
    return json.findings.flatMap(({ check, state, detail }) =>
      check === 'search' ? [`${state}: ${detail}`] : [],
    )
  }
  await indexed(bellhop, clock)
  expect(await progressOf(ana)).toBeNull()
  expect(await finding(ana)).toEqual(['ok: The index is up to date, or nearly.'])

  await makeManyTickets(bellhop.deps, orgId, TICKETS)
  expect(await progressOf(ana)).toEqual({ indexed: 0, total: TICKETS })
  expect(await finding(ana)).toEqual([`ok: Search is being prepared: 0 of ${ALL} tickets.`])
  // Those of another organization are none of hers.
  expect(await progressOf(greta)).toBeNull()

  await indexed(bellhop, clock)
  expect(await progressOf(ana)).toBeNull()
  expect(await finding(ana)).toEqual(['ok: The index is up to date, or nearly.'])
})

test('agents who are no administrators do not see it', async () => {
  const { orgId } = await bellhop.organization('Initech')
  const agent = await signInAgent(bellhop, orgId, { role: 'agent' })
  expect((await agent.call('GET', '/console/search-progress')).status).toBe(403)
})
