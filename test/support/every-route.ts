import { createKeyGuard } from '../../server/api-keys/require-api-key.ts'
import type { Deps } from '../../server/deps.ts'
import { createApp } from '../../server/http/app.ts'
import { GUIDES } from '../../server/http/docs/guides.ts'
import { createLive } from '../../server/live/live.ts'
import { createFirstRun } from '../../server/sessions/first-run.ts'
import { createAgentGuard } from '../../server/sessions/require-agent.ts'
import { MARKER, type Owned } from './full-organization.ts'

/** Every route of the server: `GET /v1/tickets`. */
export async function everyRoute(deps: Deps): Promise<string[]> {
  const agents = createAgentGuard(deps)
  const keys = createKeyGuard(deps, { signedIn: agents.callerOf })
  const live = createLive(deps)
  const { routes } = createApp(deps, { keys, agents, live, firstRun: createFirstRun(deps) })
  agents.stop()
  await Promise.all([keys.stop(), live.stop()])
  return routes.map(({ method, path }) => `${method} ${path}`)
}

/** Routes that need no session: they show no organization's data, or need their own secret. */
export const OPEN_ROUTES = [
  'GET /',
  'GET /inbox',
  'GET /inbox/*',
  'GET /settings',
  'GET /settings/*',
  'GET /sign-in',
  'GET /welcome',
  'GET /join',
  'GET /assets/:name',
  'ALL /*',
  'GET /health/live',
  'GET /health/ready',
  'GET /console/first-run',
  'POST /console/first-run',
  'POST /console/first-run/check',
  'POST /console/session',
  // Ends the session of its cookie.
  'DELETE /console/session',
  'POST /console/link',
  'POST /console/link/accept',
  'GET /v1/openapi.json',
  'ALL /v1/*',
  'GET /docs',
  'GET /docs/docs.css',
  'GET /docs/docs.js',
  ...GUIDES.map(({ slug }) => `GET /docs/${slug}`),
]

/** A call of a route with the ids of the organization. */
export interface RouteCall {
  /** The route's path by default. `:ticket` is the id of the ticket. */
  path?: string
  body?: (owned: Owned) => unknown
  /** Status for an administrator of another organization, 404 by default. With 2xx it works on their own data. */
  foreign?: number
  /** The organization's administrator can be refused too, if a test can't prepare the data. */
  own?: number
}

const ticket = '/console/tickets/:ticket'
const endpoint = '/console/endpoints/:endpoint'
const agent = '/console/agents/:agent'

/** Every other route, with the ids of one organization wherever it takes an id. */
export const GUARDED_ROUTES: Record<string, RouteCall> = {
  'GET /v1/tickets': { path: `/v1/tickets?tag=${MARKER}`, foreign: 200 },
  'GET /v1/tickets/:id': { path: '/v1/tickets/:ticket' },
  'POST /v1/tickets': {
    foreign: 201,
    body: () => ({ subject: 'x', message: 'x', customer: { email: 'x@example.com' } }),
  },
  'PATCH /v1/tickets/:id': { path: '/v1/tickets/:ticket', body: () => ({ status: 'resolved' }) },
  'PUT /v1/tickets/:id/messages/:messageId': {
    path: '/v1/tickets/:ticket/messages/:newMessage',
    body: () => ({ text: 'x' }),
  },
  'GET /v1/tickets/:id/messages/:messageId': { path: '/v1/tickets/:ticket/messages/:reply' },
  'DELETE /v1/tickets/:id/messages/:messageId': { path: '/v1/tickets/:ticket/messages/:reply' },
  'POST /v1/tickets/:id/messages': { path: '/v1/tickets/:ticket/messages', body: () => ({ text: 'x' }) },

  'GET /console/session': { foreign: 200 },
  'GET /console/sessions': { foreign: 200 },
  'DELETE /console/sessions': { foreign: 200 },
  'DELETE /console/sessions/:id': { path: '/console/sessions/:session' },
  'POST /console/password': {
    foreign: 400,
    own: 400,
    body: () => ({ current: 'not the password', password: 'a better password' }),
  },
  'PATCH /console/me': { foreign: 200, body: () => ({ name: 'New Name' }) },

  'GET /console/agents': { foreign: 200 },
  'POST /console/agents': {
    foreign: 201,
    body: () => ({ name: 'Dan', email: 'dan@example.com', role: 'agent' }),
  },
  'POST /console/agents/:id/link': { path: `${agent}/link` },
  'PATCH /console/agents/:id': { path: agent, body: () => ({ role: 'admin' }) },
  'POST /console/agents/:id/disable': { path: `${agent}/disable` },
  'POST /console/agents/:id/enable': { path: `${agent}/enable` },
  'GET /console/organization': { foreign: 200 },
  'PATCH /console/organization': { foreign: 200, body: () => ({ name: 'Renamed' }) },
  'GET /console/checklist': { foreign: 200 },
  'GET /console/keys': { foreign: 200 },
  'POST /console/keys': { foreign: 201, body: () => ({ name: 'New' }) },
  'DELETE /console/keys/:id': { path: '/console/keys/:key' },
  'GET /console/audit': { foreign: 200 },

  'GET /console/tickets': { path: `/console/tickets?q=${MARKER}`, foreign: 200 },
  'GET /console/counts': { foreign: 200 },
  'GET /console/tickets/:id': { path: ticket },
  'PATCH /console/tickets/:id': { path: ticket, body: () => ({ subject: 'x', isSpam: true }) },
  'DELETE /console/tickets/:id': { path: ticket },
  'PUT /console/tickets/:id/read': {
    path: `${ticket}/read`,
    body: ({ message }) => ({ messageId: message }),
  },
  'DELETE /console/tickets/:id/read': { path: `${ticket}/read` },
  'PUT /console/tickets/:id/draft': { path: `${ticket}/draft`, body: () => ({ kind: 'reply', text: 'x' }) },
  'POST /console/tickets/:id/messages/:messageId/send': { path: `${ticket}/messages/:reply/send` },
  'PUT /console/tickets/:id/notes/:noteId': { path: `${ticket}/notes/:newNote`, body: () => ({ text: 'x' }) },
  'POST /console/messages/:id/retry': { path: '/console/messages/:failedMessage/retry' },
  'GET /console/customers/:id': { path: '/console/customers/:customer' },
  'DELETE /console/customers/:id': { path: '/console/customers/:customer' },
  'POST /console/bulk': {
    foreign: 200,
    body: (owned) => ({ items: [{ id: owned.ticket, change: { status: 'resolved', addTags: ['x'] } }] }),
  },
  'GET /console/saved-replies': { foreign: 200 },
  'POST /console/saved-replies': { foreign: 201, body: () => ({ name: 'x', text: 'x' }) },
  'PATCH /console/saved-replies/:id': {
    path: '/console/saved-replies/:savedReply',
    body: () => ({ name: 'x' }),
  },
  'DELETE /console/saved-replies/:id': { path: '/console/saved-replies/:savedReply' },
  'GET /console/tags': { foreign: 200 },
  'POST /console/tags/rename': { foreign: 200, body: () => ({ from: MARKER, to: 'x' }) },
  'POST /console/tags/remove': { foreign: 200, body: () => ({ tag: MARKER }) },
  'GET /console/views': { foreign: 200 },
  'POST /console/views': { foreign: 201, body: () => ({ name: 'x', query: 'status:open' }) },
  'PATCH /console/views/:id': { path: '/console/views/:view', body: () => ({ name: 'x' }) },
  'DELETE /console/views/:id': { path: '/console/views/:view' },

  'GET /console/endpoints': { foreign: 200 },
  'POST /console/endpoints': {
    foreign: 201,
    body: () => ({ url: 'https://hooks.example/in', events: ['ticket.created'] }),
  },
  'GET /console/endpoints/:id': { path: endpoint },
  'PATCH /console/endpoints/:id': { path: endpoint, body: () => ({ description: 'x' }) },
  'DELETE /console/endpoints/:id': { path: endpoint },
  'POST /console/endpoints/:id/enable': { path: `${endpoint}/enable`, own: 0 },
  'POST /console/endpoints/:id/disable': { path: `${endpoint}/disable` },
  'POST /console/endpoints/:id/test': {
    path: `${endpoint}/test`,
    body: () => ({ event: 'ticket.created' }),
    own: 0,
  },
  'POST /console/endpoints/:id/secret': { path: `${endpoint}/secret`, body: () => ({ step: 'rotate' }) },
  'POST /console/endpoints/:id/resend': {
    path: `${endpoint}/resend`,
    body: () => ({ since: '2026-01-01T00:00:00Z' }),
    own: 409,
  },
  'GET /console/deliveries': { path: '/console/deliveries?endpointId=:endpoint', foreign: 200 },
  'GET /console/deliveries/:id': { path: '/console/deliveries/:delivery' },
  'POST /console/deliveries/:id/resend': { path: '/console/deliveries/:delivery/resend', own: 409 },
  'GET /console/resends/:id': { path: '/console/resends/:job' },

  'GET /console/live': { path: '/console/live?after=0', foreign: 200 },
  'POST /console/presence': { body: (owned) => ({ pageId: 'p', ticketId: owned.ticket, state: 'viewing' }) },
}
