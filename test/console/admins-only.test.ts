import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { newBrowserSession } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'
import { everyRoute, OPEN_ROUTES } from '../support/every-route.ts'

const bellhop = await startBellhop({ clock: createManualClock() })
afterAll(() => bellhop.stop())
const { orgId } = await bellhop.organization()
const ben = await signInAgent(bellhop, orgId)
const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })

const ADMINS_ONLY = [
  'POST /console/agents',
  'PATCH /console/agents/:id',
  'POST /console/agents/:id/link',
  'POST /console/programs',
  'PUT /console/agents/:id/picture',
  'POST /console/agents/:id/disable',
  'POST /console/agents/:id/enable',
  'PATCH /console/organization',
  'GET /console/backups',
  'POST /console/backups',
  'GET /console/doctor',
  'GET /console/checklist',
  'GET /console/search-progress',
  'GET /console/suggestions/statistics',
  'GET /console/keys',
  'POST /console/keys',
  'DELETE /console/keys/:id',
  'GET /console/mails',
  'GET /console/mails/:id',
  'GET /console/mails/:id/original',
  'POST /console/mails/:id/parse',
  'POST /console/mails/:id/ticket',
  'GET /console/audit',
  'GET /console/endpoints',
  'POST /console/endpoints',
  'GET /console/endpoints/:id',
  'PATCH /console/endpoints/:id',
  'DELETE /console/endpoints/:id',
  'POST /console/endpoints/:id/enable',
  'POST /console/endpoints/:id/disable',
  'POST /console/endpoints/:id/test',
  'POST /console/endpoints/:id/secret',
  'POST /console/endpoints/:id/resend',
  'GET /console/deliveries',
  'GET /console/deliveries/:id',
  'POST /console/deliveries/:id/resend',
  'GET /console/resends/:id',
  'POST /console/endpoints/:id/replay',
  'GET /console/replays/:id',
  'GET /console/blocked',
  'DELETE /console/blocked/visitors/:id',
  'DELETE /console/blocked/addresses/:address',
  'GET /console/bots',
  'GET /console/bots/problems',
  'POST /console/bots',
  'GET /console/bots/:id',
  'PATCH /console/bots/:id',
  'DELETE /console/bots/:id',
  'POST /console/bots/:id/pause',
  'POST /console/bots/:id/resume',
  'POST /console/bots/:id/check',
  'POST /console/bots/:id/webhook/remove',
  'POST /console/bots/:id/missed/dismiss',
  'GET /console/mailboxes',
  'GET /console/mailboxes/problems',
  'GET /console/mailbox-presets',
  'POST /console/mailboxes',
  'GET /console/mailboxes/:id',
  'PATCH /console/mailboxes/:id',
  'DELETE /console/mailboxes/:id',
  'GET /console/mailboxes/:id/ledger',
  'GET /console/mailboxes/:id/suggested-aliases',
  'POST /console/mailboxes/:id/dkim',
  'PATCH /console/mailboxes/:id/dkim',
  'DELETE /console/mailboxes/:id/dkim',
  'POST /console/mailboxes/:id/pause',
  'POST /console/mailboxes/:id/resume',
  'POST /console/mailboxes/:id/default',
  'POST /console/mailboxes/test',
  'POST /console/mailboxes/:id/test',
  'POST /console/mailboxes/:id/sign-in',
  'GET /console/widgets',
  'POST /console/widgets',
  'GET /console/widgets/:id',
  'PATCH /console/widgets/:id',
  'DELETE /console/widgets/:id',
  'POST /console/widgets/:id/pause',
  'POST /console/widgets/:id/resume',
  'POST /console/widgets/:id/key',
  'POST /console/widgets/:id/identity-secret',
  'POST /console/widgets/:id/check-identity',
  'GET /console/oauth-clients',
  'PUT /console/oauth-clients/:provider',
  'DELETE /console/oauth-clients/:provider',
  'GET /console/oauth/callback',
  'DELETE /console/tickets/:id',
  'DELETE /console/customers/:id',
  'POST /console/tags/rename',
  'POST /console/tags/remove',
]
const WITHOUT_A_SESSION = OPEN_ROUTES.filter(isOfPages)
/** The stream never ends. Its guard is the same. */
const STREAM = 'GET /console/live'

const ROUTES = (await everyRoute(bellhop.deps)).filter(isOfPages)

function isOfPages(route: string): boolean {
  return route.includes(' /console/')
}

/** The route with unknown ids and no body, because access is checked before the request. */
function address(route: string): [method: string, path: string] {
  const [method = '', path = ''] = route.split(' ')
  return [method, path.replaceAll(/:\w+/g, 'nobody')]
}

test('an agent is refused admin routes and no others', async () => {
  const refused: string[] = []
  for (const route of ROUTES.filter((one) => one !== STREAM && !WITHOUT_A_SESSION.includes(one))) {
    const { status, json } = await ben.call(...address(route))
    if (status === 403) refused.push(json.code === 'admins_only' ? route : `${route}: ${json.code}`)
  }
  expect(refused.sort()).toEqual([...ADMINS_ONLY].sort())
})

test.each(ADMINS_ONLY)('an administrator can call %s', async (route) => {
  expect((await ana.call(...address(route))).status).not.toBe(403)
})

test('without a session, only the routes to sign in work', async () => {
  const open: string[] = []
  for (const route of ROUTES) {
    const { status, json } = await newBrowserSession(bellhop).call(...address(route))
    if (status !== 401) open.push(route)
    else expect(json.code).toBe('signed_out')
  }
  expect(open.sort()).toEqual([...WITHOUT_A_SESSION].sort())
})

test('an API key opens no console routes', async () => {
  const client = await bellhop.organization('Other')
  for (const route of ROUTES.filter((one) => !WITHOUT_A_SESSION.includes(one))) {
    const headers = { authorization: `Bearer ${client.key}` }
    expect({
      route,
      status: (await newBrowserSession(bellhop, headers).call(...address(route))).status,
    }).toEqual({
      route,
      status: 401,
    })
  }
})

test("another site can't change anything with an administrator's cookie", async () => {
  const unsafe = ROUTES.filter((route) => !route.startsWith('GET '))
  for (const route of unsafe) {
    const [method, path] = address(route)
    const { json } = await ana.call(method, path, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect({ route, code: json.code }).toEqual({ route, code: 'cross_origin' })
  }
})
