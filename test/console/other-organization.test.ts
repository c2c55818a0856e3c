import { afterAll, describe, expect, test } from 'bun:test'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { everyRoute, GUARDED_ROUTES, OPEN_ROUTES } from '../support/every-route.ts'
import { MARKER, makeFullOrganization, type Owned } from '../support/full-organization.ts'
import { openLive } from '../support/live.ts'
import { storedRows } from '../support/stored-rows.ts'

// Specification, section 1: a caller sees and changes only the data of their own organization. Nothing is sent, because
// the clock doesn't move and no address is allowed.
const bellhop = await startBellhop({ clock: createManualClock() })
const acme = await makeFullOrganization(bellhop)
/** Some scopes are not part of full access. */
const everything = { scopes: [...KEY_SCOPES] }
const third = await (await bellhop.organization('Third')).withKey(everything)
/** For the organizations that are changed: all rows of the first one are compared around each request. */
const changing = await startBellhop({
  clock: createManualClock(),
  // Each organization has a visitor of its own: more than one address may open.
  settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8,::1/128' },
})
const thirdOfChanging = await (await changing.organization('Third')).withKey(everything)
afterAll(() => Promise.all([bellhop.stop(), changing.stop()]))

test('every route of the server is in one of the two lists', async () => {
  const known = [...OPEN_ROUTES, ...Object.keys(GUARDED_ROUTES)]
  expect((await everyRoute(bellhop.deps)).sort()).toEqual(known.sort())
})

test('a malformed id is treated like an unknown one, no matter how long it is', async () => {
  const withId = Object.entries(GUARDED_ROUTES).filter(([route]) => /\/:(?!externalId)/.test(route))
  expect(withId.length).toBeGreaterThan(20)
  for (const [route, { body }] of withId) {
    const [method = '', pattern = ''] = route.split(' ')
    const path = pattern.replaceAll(/:[a-z]\w*/gi, 'x'.repeat(300))
    const { status } = await ask(acme.admin, method, { path, more: body ? { body: body(acme.owned) } : {} })
    expect({ route, status }).toEqual({ route, status: 404 })
  }
})

describe.each(Object.entries(GUARDED_ROUTES))(
  '%s',
  (route, { path, body, foreign = 404, own: ownStatus }) => {
    const [method = '', pattern = ''] = route.split(' ')
    const requestFor = (owned: Owned) => ({
      path: (path ?? pattern).replaceAll(/:([a-z]\w*)/gi, (_, name: keyof Owned) => owned[name]),
      more: body ? { body: body(owned) } : {},
    })

    test('returns nothing to an administrator of another organization, and changes nothing', async () => {
      const other = await bellhop.organization('Other')
      const eve = await signInAgent(bellhop, other.orgId, { name: 'Eve', role: 'admin' })
      const rowsOfAcme = async () => rowsWith(await storedRows(bellhop.deps), acme.client.orgId)
      const before = await rowsOfAcme()
      const request = requestFor(acme.owned)
      const answer = await ask(eve, method, request)
      expect(answer.status, answer.text).toBe(foreign)
      const sent = request.path + JSON.stringify(request.more)
      for (const secret of [acme.client.orgId, acme.admin.id, MARKER, ...Object.values(acme.owned)]) {
        if (!sent.includes(secret)) expect(answer.text).not.toContain(secret)
      }
      if (method === 'GET' && !sent.includes(MARKER)) expect(answer.text).not.toContain(MARKER)
      expect(await rowsOfAcme()).toEqual(before)
    })

    test('is refused without a session, and works for an administrator of the organization', async () => {
      // A read leaves the data for the next test.
      const isRead = method === 'GET'
      const own = isRead ? acme : await makeFullOrganization(changing)
      const request = requestFor(own.owned)
      const url = `${(isRead ? bellhop : changing).url}${request.path}`
      const signedOut = await call(method, url, request.more)
      expect(signedOut.json).toMatchObject({ status: 401 })
      const withKey = await call(method, url, {
        ...request.more,
        headers: { authorization: `Bearer ${(isRead ? third : thirdOfChanging).key}` },
      })
      expect(withKey.status).toBe(request.path.startsWith('/console') ? 401 : foreign)
      // The tests of webhooks cover what is sent over the network.
      if (ownStatus === 0) return
      const answer = await ask(own.admin, method, request)
      if (ownStatus === undefined) expect(answer.status, answer.text).toBeLessThan(300)
      else expect(answer.status, answer.text).toBe(ownStatus)
    })
  },
)

/** The stream never ends, so only its start is read. */
async function ask(
  agent: SignedInAgent,
  method: string,
  { path, more }: { path: string; more: { body?: unknown } },
): Promise<{ status: number; text: string }> {
  if (!path.startsWith('/console/live')) return agent.call(method, path, more)
  await using page = await openLive(bellhop.url, agent, { after: 0 })
  await page.next('hello')
  return { status: page.status, text: JSON.stringify(page.seen) }
}

function rowsWith(tables: Record<string, string[]>, orgId: string): string[] {
  return Object.values(tables).flatMap((rows) => rows.filter((row) => row.includes(orgId)))
}
