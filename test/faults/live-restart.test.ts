import { expect, test } from 'bun:test'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { signInAgent } from '../support/agents.ts'
import { call } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { openLive } from '../support/live.ts'
import { type Place, type RunningServer, startProgram } from '../support/program.ts'
import { storedEvents } from '../support/subscription.ts'
import { eventually } from '../support/webhooks.ts'

const TICKET = { subject: 'Missing invoice', message: 'Where?', customer: { email: 'ana@example.com' } }

/** The data of a server in another process. */
async function openPlace(): Promise<{ place: Place; deps: Deps; orgId: string; secret: string }> {
  const { BELLHOP_DATA, DATABASE_URL } = await freshPlace()
  const place = { BELLHOP_DATA, ...(DATABASE_URL ? { DATABASE_URL } : {}) }
  const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const { secret } = await createApiKey(deps, orgId, { name: 'Website', kind: 'secret' })
  return { place, deps, orgId, secret }
}

async function post({ url }: RunningServer, secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}` }
  await call('POST', `${url}/v1/tickets`, { body: TICKET, headers })
}

test('a page gets every event exactly once when the server is killed and restarted', async () => {
  const { place, deps, orgId, secret } = await openPlace()
  await using first = await startProgram({ ...place, BELLHOP_RATE_LIMIT: '100000' })
  const { cookie } = await signInAgent({ deps, url: first.url }, orgId)
  const start = (await storedEvents(deps, orgId)).length
  await using before = await openLive(first.url, { cookie }, { after: start })
  await before.next('hello')
  // Until the server has exited.
  const writing = Array.from({ length: 4 }, async () => {
    while (
      await post(first, secret).then(
        () => true,
        () => false,
      )
    ) {}
  })
  await before.next('changed', () => before.numbers().length > 60)
  await first.end('SIGKILL')
  await Promise.all(writing)
  await before.ended

  await using second = await startProgram(place)
  await post(second, secret)
  const last = before.numbers().at(-1) ?? 0
  await using after = await openLive(second.url, { cookie }, { after: last })
  await after.next('hello')
  const all = (await storedEvents(deps, orgId)).map(({ number }) => number).filter((number) => number > start)
  expect([...before.numbers(), ...after.numbers()]).toEqual(all)
  expect(all.length).toBeGreaterThan(60)
  await deps.database.close()
}, 60_000)

test('a page gets the changes of a command within about a second', async () => {
  const { place, deps, orgId } = await openPlace()
  await using server = await startProgram(place)
  const { cookie } = await signInAgent({ deps, url: server.url }, orgId)
  await using page = await openLive(server.url, { cookie })
  await page.next('hello')
  // The first heartbeat may come at any time, and the next one 15 seconds later.
  await eventually(() => page.comments() > 0)
  const comments = page.comments()
  const { id } = await createTicket(deps, orgId, TICKET)
  await page.next('changed', ({ ticketId }) => ticketId === id)
  expect(page.comments()).toBe(comments)
  await deps.database.close()
}, 60_000)
