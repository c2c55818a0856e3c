import { createKeyGuard } from '../../server/api-keys/require-api-key.ts'
import { createBackupRequests } from '../../server/backup/backup-runs.ts'
import { createVisitorStreams } from '../../server/channels/widget/stream/visitor-streams.ts'
import { createVisitorGuard } from '../../server/channels/widget/visitors/require-visitor.ts'
import type { Deps } from '../../server/deps.ts'
import { createEventWaits } from '../../server/events/api/waits.ts'
import { createApp } from '../../server/http/app.ts'
import { GUIDES } from '../../server/http/docs/guides.ts'
import { createLive } from '../../server/live/live.ts'
import { createNotifications } from '../../server/notifications/notifications.ts'
import { createLargeResponses } from '../../server/responses/large-responses.ts'
import { createFirstRun } from '../../server/sessions/first-run.ts'
import { createAgentGuard } from '../../server/sessions/require-agent.ts'
import { BLOCKED_ADDRESS, MARKER, type Owned } from './full-organization.ts'
import { newMailbox } from './mailboxes.ts'

/** Every route of the server: `GET /v1/tickets`. */
export async function everyRoute(deps: Deps): Promise<string[]> {
  const agents = createAgentGuard(deps)
  const keys = createKeyGuard(deps, { signedIn: agents.callerOf })
  const live = createLive(deps)
  const widget = { guard: createVisitorGuard(deps, live), streams: createVisitorStreams(deps, live) }
  const events = createEventWaits(deps)
  const { routes } = createApp(deps, {
    keys,
    agents,
    live,
    notifications: createNotifications(deps, live),
    firstRun: createFirstRun(deps),
    large: createLargeResponses(deps),
    widget,
    events,
    storageFault: () => undefined,
    isStopping: () => false,
    backups: createBackupRequests(),
  })
  agents.stop()
  await Promise.all([keys.stop(), live.stop(), widget.guard.stop(), widget.streams.stop(), events.stop()])
  return routes.map(({ method, path }) => `${method} ${path}`)
}

/** Routes that need no session: they show no organization's data, or need their own secret. */
export const OPEN_ROUTES = [
  'GET /',
  'GET /sw.js',
  'GET /inbox',
  'GET /inbox/*',
  'GET /customers',
  'GET /customers/*',
  'GET /settings',
  'GET /settings/*',
  'GET /sign-in',
  'GET /welcome',
  'GET /join',
  'GET /oauth/authorize',
  'GET /assets/:name',
  'GET /widget.js',
  'GET /widget/assets/:name',
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
  'GET /docs.md',
  'GET /docs/llms.txt',
  'GET /docs/operations/:file',
  'GET /docs/docs.css',
  'GET /docs/docs.js',
  'GET /docs/try.js',
  'GET /docs/bellhop-alerts.yml',
  'GET /docs/bellhop-dashboard.json',
  ...GUIDES.flatMap(({ slug }) => [`GET /docs/${slug}`, `GET /docs/${slug}.md`]),
  // Takes the secret that only Telegram knows (test/channels/telegram-webhook.test.ts).
  'POST /telegram/:path',
  // Needs a secret key, and no session helps (test/mcp/key.test.ts).
  'POST /mcp/key',
  // Needs an access token, and no session helps (test/oauth/tokens.test.ts).
  'POST /mcp',
  // For programs that ask for access tokens (test/oauth).
  'GET /.well-known/oauth-protected-resource/mcp',
  'OPTIONS /.well-known/oauth-protected-resource/mcp',
  'GET /.well-known/oauth-authorization-server/oauth',
  'OPTIONS /.well-known/oauth-authorization-server/oauth',
  'POST /oauth/token',
  'OPTIONS /oauth/token',
  'POST /oauth/register',
  'OPTIONS /oauth/register',
  'POST /oauth/revoke',
  'OPTIONS /oauth/revoke',
  // Need a public key, which shows nothing of its own, and most of them a visitor's token (test/widget).
  'OPTIONS /widget/:key/*',
  'OPTIONS /v1/*',
  'GET /widget/:key/settings',
  'POST /widget/:key/session',
  'DELETE /widget/:key/session',
  'PATCH /widget/:key/visitor',
  'GET /widget/:key/conversations',
  'GET /widget/:key/conversations/:id',
  'PUT /widget/:key/conversations/:conversation/messages/:clientId',
  'POST /widget/:key/conversations/:id/seen',
  'POST /widget/:key/conversations/:id/typing',
  'POST /widget/:key/conversations/:id/end',
  'POST /widget/:key/conversations/:id/telegram',
  'POST /widget/:key/files',
  'GET /widget/:key/files/:id',
  'GET /widget/:key/events',
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
const suggestions = '/tickets/:visitorTicket/suggestions'
const endpoint = '/console/endpoints/:endpoint'
const v1Endpoint = '/v1/endpoints/:endpoint'
const agent = '/console/agents/:agent'
const mailbox = '/console/mailboxes/:mailbox'
const widget = '/console/widgets/:widget'
const bot = '/console/bots/:bot'

/** Every other route, with the ids of one organization wherever it takes an id. */
export const GUARDED_ROUTES: Record<string, RouteCall> = {
  'GET /v1/tickets': { path: `/v1/tickets?tag=${MARKER}`, foreign: 200 },
  'GET /v1/tickets/:id': { path: '/v1/tickets/:ticket' },
  'POST /v1/tickets': {
    foreign: 201,
    body: () => ({ subject: 'x', message: 'x', customer: { email: 'x@example.com' } }),
  },
  'POST /v1/tickets/:id/merge': {
    path: '/v1/tickets/:ticket/merge',
    body: ({ otherTicket }) => ({ from: otherTicket }),
  },
  'POST /v1/tickets/:id/split': {
    path: '/v1/tickets/:ticket/split',
    body: ({ failedMessage }) => ({ messages: [failedMessage], subject: 'x' }),
  },
  'POST /v1/customers/:id/merge': {
    path: '/v1/customers/:customer/merge',
    body: ({ otherCustomer }) => ({ from: otherCustomer }),
  },
  'GET /v1/endpoints': { foreign: 200 },
  'POST /v1/endpoints': {
    foreign: 201,
    body: () => ({ url: 'https://hooks.example/in', events: ['ticket.created'] }),
  },
  'GET /v1/endpoints/:id': { path: v1Endpoint },
  'PATCH /v1/endpoints/:id': { path: v1Endpoint, body: () => ({ tags: ['x'] }) },
  'DELETE /v1/endpoints/:id': { path: v1Endpoint },
  'POST /v1/endpoints/:id/enable': { path: `${v1Endpoint}/enable`, own: 0 },
  'POST /v1/endpoints/:id/disable': { path: `${v1Endpoint}/disable` },
  'POST /v1/endpoints/:id/rotate': { path: `${v1Endpoint}/rotate` },
  'POST /v1/endpoints/:id/test': {
    path: `${v1Endpoint}/test`,
    body: () => ({ event: 'ticket.created' }),
    own: 0,
  },
  'POST /v1/endpoints/:id/replay': {
    path: `${v1Endpoint}/replay`,
    body: () => ({ after: '0' }),
    own: 409,
  },
  'GET /v1/replays/:id': { path: '/v1/replays/:replay' },
  'GET /v1/deliveries': { path: '/v1/deliveries?endpoint=:endpoint', foreign: 200 },
  'GET /v1/deliveries/:id': { path: '/v1/deliveries/:delivery' },
  'POST /v1/deliveries/:id/resend': { path: '/v1/deliveries/:delivery/resend', own: 409 },
  'POST /v1/imports': { foreign: 200, body: () => ({ tickets: [] }) },
  'GET /v1/customers': { foreign: 200 },
  'GET /v1/customers/:id': { path: '/v1/customers/:customer' },
  'PATCH /v1/customers/:id': { path: '/v1/customers/:customer', body: () => ({ name: 'New Name' }) },
  'DELETE /v1/customers/:id': { path: '/v1/customers/:customer' },
  'PUT /v1/customers/external/:externalId': {
    path: '/v1/customers/external/x',
    foreign: 201,
    body: () => ({ name: 'New Name' }),
  },
  'POST /v1/moves/:id/undo': { path: '/v1/moves/:move/undo' },
  'POST /v1/tickets/bulk': {
    foreign: 200,
    body: ({ ticket }) => ({ ids: [ticket], change: { status: 'resolved' } }),
  },
  'DELETE /v1/tickets/:id': { path: '/v1/tickets/:ticket', own: 0 },
  'PATCH /v1/tickets/:id': { path: '/v1/tickets/:ticket', body: () => ({ status: 'resolved' }) },
  'GET /v1/tickets/:id/messages': { path: '/v1/tickets/:ticket/messages' },
  'PUT /v1/tickets/:id/messages/:messageId': {
    path: '/v1/tickets/:ticket/messages/:newMessage',
    body: () => ({ text: 'x' }),
  },
  'GET /v1/tickets/:id/messages/:messageId': { path: '/v1/tickets/:ticket/messages/:reply' },
  'DELETE /v1/tickets/:id/messages/:messageId': { path: '/v1/tickets/:ticket/messages/:reply' },
  'POST /v1/tickets/:id/messages': { path: '/v1/tickets/:ticket/messages', body: () => ({ text: 'x' }) },
  'POST /v1/attachments': { path: '/v1/attachments?name=x.txt', foreign: 201, body: () => 'A file' },
  'GET /v1/attachments/:id': { path: '/v1/attachments/:attachment' },
  'DELETE /v1/attachments/:id': { path: '/v1/attachments/:upload' },
  'GET /v1/saved-replies': { foreign: 200 },
  'GET /v1/messages': { foreign: 200 },
  'GET /v1/search': { path: `/v1/search?q=${MARKER}`, foreign: 200 },
  'GET /v1/agents': { foreign: 200 },
  'GET /v1/tags': { foreign: 200 },
  'GET /v1/me': { foreign: 200 },
  'GET /v1/events': { foreign: 200 },
  'GET /v1/tickets/:id/activity': { path: '/v1/tickets/:ticket/activity' },
  'GET /v1/tickets/:id/notes': { path: '/v1/tickets/:ticket/notes' },
  'GET /v1/tickets/:id/suggestions': { path: `/v1${suggestions}` },
  'POST /v1/tickets/:id/suggestions': {
    path: `/v1${suggestions}`,
    body: ({ question }) => ({ text: 'x', answers: question }),
  },
  'DELETE /v1/tickets/:id/suggestions/:suggestionId': { path: `/v1${suggestions}/:suggestion` },
  'POST /v1/tickets/:id/notes': { path: '/v1/tickets/:ticket/notes', body: () => ({ text: 'x' }) },

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
  'GET /console/me/signature': { foreign: 200 },
  'PUT /console/me/signature': { foreign: 200, body: () => ({ signature: 'x' }) },

  'GET /console/agents': { foreign: 200 },
  'POST /console/agents': {
    foreign: 201,
    body: () => ({ name: 'Dan', email: 'dan@example.com', role: 'agent' }),
  },
  'POST /console/programs': { foreign: 201, body: () => ({ name: 'Answer bot' }) },
  'GET /console/connected-programs': { foreign: 200 },
  // What a program asks for belongs to no organization (test/oauth).
  'POST /console/connected-programs/request': {
    foreign: 400,
    own: 400,
    body: () => ({ query: '?client_id=x' }),
  },
  'POST /console/connected-programs': { foreign: 400, own: 400, body: () => ({ query: '?client_id=x' }) },
  'DELETE /console/connected-programs/:id': { path: '/console/connected-programs/:connectedProgram' },
  'PUT /console/agents/:id/picture': {
    path: '/console/agents/:program/picture',
    body: () => ({ picture: null }),
  },
  'GET /console/agents/:id/picture': { path: '/console/agents/:program/picture' },
  'POST /console/agents/:id/link': { path: `${agent}/link` },
  'PATCH /console/agents/:id': { path: agent, body: () => ({ role: 'admin' }) },
  'POST /console/agents/:id/disable': { path: `${agent}/disable` },
  'POST /console/agents/:id/enable': { path: `${agent}/enable` },
  'GET /console/organization': { foreign: 200 },
  'PATCH /console/organization': { foreign: 200, body: () => ({ name: 'Renamed' }) },
  'GET /console/backups': { foreign: 200 },
  'POST /console/backups': { foreign: 409, own: 409 },
  'GET /console/doctor': { foreign: 200 },
  'GET /console/checklist': { foreign: 200 },
  'GET /console/search-progress': { foreign: 200 },
  'GET /console/keys': { foreign: 200 },
  'POST /console/keys': { foreign: 201, body: () => ({ name: 'New' }) },
  'DELETE /console/keys/:id': { path: '/console/keys/:key' },
  'GET /console/audit': { foreign: 200 },

  'GET /console/tickets': { path: `/console/tickets?q=${MARKER}`, foreign: 200 },
  'GET /console/counts': { foreign: 200 },
  'GET /console/tickets/:id': { path: ticket },
  'PATCH /console/tickets/:id': { path: ticket, body: () => ({ subject: 'x', isSpam: true }) },
  'GET /console/tickets/:id/merge/:from': { path: `${ticket}/merge/:otherTicket` },
  'POST /console/tickets/:id/merge': {
    path: `${ticket}/merge`,
    body: ({ otherTicket }) => ({ from: otherTicket }),
  },
  'POST /console/tickets/:id/split': {
    path: `${ticket}/split`,
    body: ({ failedMessage }) => ({ message: failedMessage, andLater: false, subject: 'x' }),
  },
  'POST /console/customers/:id/merge': {
    path: '/console/customers/:customer/merge',
    body: ({ otherCustomer }) => ({ from: otherCustomer }),
  },
  'POST /console/moves/:id/undo': { path: '/console/moves/:move/undo' },
  'POST /console/tickets/:id/customer': {
    path: `${ticket}/customer`,
    body: () => ({ email: 'new@example.com' }),
  },
  'DELETE /console/tickets/:id': { path: ticket },
  'PUT /console/tickets/:id/mailbox': {
    path: `${ticket}/mailbox`,
    body: ({ mailbox: mailboxId }) => ({ mailboxId }),
  },
  'PUT /console/tickets/:id/read': {
    path: `${ticket}/read`,
    body: ({ message }) => ({ messageId: message }),
  },
  'DELETE /console/tickets/:id/read': { path: `${ticket}/read` },
  'PUT /console/tickets/:id/mentions/seen': { path: `${ticket}/mentions/seen` },
  'PUT /console/tickets/:id/follower': { path: `${ticket}/follower` },
  'DELETE /console/tickets/:id/follower': { path: `${ticket}/follower` },
  'PUT /console/tickets/:id/draft': { path: `${ticket}/draft`, body: () => ({ kind: 'reply', text: 'x' }) },
  'POST /console/tickets': {
    // The other organization has no mailbox of its own.
    foreign: 409,
    body: ({ newMessage, mailbox: mailboxId }) => ({
      messageId: `${newMessage.slice(0, -2)}01`,
      mailboxId,
      to: [{ address: 'x@example.com' }],
      subject: 'x',
      text: 'x',
    }),
  },
  'GET /console/new-tickets': { foreign: 200 },
  'DELETE /console/new-tickets/:messageId': { path: '/console/new-tickets/:newTicket' },
  'POST /console/new-tickets/:messageId/send': { path: '/console/new-tickets/:newTicket/send' },
  'POST /console/tickets/:id/messages/:messageId/forward': {
    path: `${ticket}/messages/:message/forward`,
    body: ({ newMessage }) => ({
      id: `${newMessage.slice(0, -2)}02`,
      to: [{ address: 'x@example.com' }],
      text: 'x',
    }),
  },
  'POST /console/tickets/:id/messages/:messageId/send': { path: `${ticket}/messages/:reply/send` },
  'POST /console/tickets/:id/suggestions/:suggestionId/use': {
    path: `/console${suggestions}/:suggestion/use`,
  },
  'POST /console/tickets/:id/suggestions/:suggestionId/dismiss': {
    path: `/console${suggestions}/:suggestion/dismiss`,
    body: () => ({ reason: 'x' }),
  },
  'GET /console/suggestions/statistics': { foreign: 200 },
  'PUT /console/tickets/:id/notes/:noteId': { path: `${ticket}/notes/:newNote`, body: () => ({ text: 'x' }) },
  'PATCH /console/tickets/:id/messages/:messageId': {
    path: `${ticket}/messages/:message`,
    body: () => ({ text: 'x' }),
    own: 409,
  },
  'DELETE /console/tickets/:id/messages/:messageId': { path: `${ticket}/messages/:message`, own: 409 },
  'GET /console/tickets/:id/messages/:messageId/edits': { path: `${ticket}/messages/:message/edits` },
  'POST /console/tickets/:id/messages/:messageId/resend': {
    path: `${ticket}/messages/:failedMessage/resend`,
    body: () => ({}),
  },
  'GET /console/tickets/:id/visitor': { path: '/console/tickets/:visitorTicket/visitor' },
  'PATCH /console/tickets/:id/visitor': {
    path: '/console/tickets/:visitorTicket/visitor',
    body: () => ({ isBlocked: true, isAddressBlocked: true }),
  },
  'GET /console/customers/:id': { path: '/console/customers/:customer' },
  'PATCH /console/customers/:id': {
    path: '/console/customers/:customer',
    body: () => ({ name: 'New Name' }),
  },
  'GET /console/customers': { foreign: 200 },
  'POST /console/customers': { foreign: 201, body: () => ({ name: 'x' }) },
  'GET /console/customers/:id/tickets': { path: '/console/customers/:customer/tickets' },
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
  'POST /console/saved-replies/:id/use': { path: '/console/saved-replies/:savedReply/use' },
  'DELETE /console/saved-replies/:id': { path: '/console/saved-replies/:savedReply' },
  'GET /console/tags': { foreign: 200 },
  'POST /console/tags/rename': { foreign: 200, body: () => ({ from: MARKER, to: 'x' }) },
  'POST /console/tags/remove': { foreign: 200, body: () => ({ tag: MARKER }) },
  'GET /console/me/notifications': { foreign: 200 },
  'PATCH /console/me/notifications': { foreign: 200, body: () => ({ showsText: false }) },
  'POST /console/me/browsers': {
    foreign: 400,
    body: () => ({ endpoint: 'https://push.example/1', keys: { p256dh: 'x', auth: 'x' } }),
    own: 400,
  },
  'DELETE /console/me/browsers/:id': { path: '/console/me/browsers/:browser' },
  'POST /console/me/browsers/:id/test': { path: '/console/me/browsers/:browser/test' },
  'GET /console/notifications': { foreign: 200 },
  'PUT /console/views/:id/bell': {
    path: '/console/views/:view/bell',
    body: () => ({ push: true, email: false }),
  },
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
  'POST /console/endpoints/:id/replay': {
    path: `${endpoint}/replay`,
    body: () => ({ after: '0' }),
    own: 409,
  },
  'GET /console/replays/:id': { path: '/console/replays/:replay' },

  'GET /console/mailboxes': { foreign: 200 },
  'GET /console/mailboxes/problems': { foreign: 200 },
  'GET /console/mailboxes/senders': { foreign: 200 },
  'GET /console/mailbox-presets': { foreign: 200 },
  'GET /console/tickets/:id/messages/:messageId/contents': {
    path: '/console/tickets/:ticket/messages/:message/contents',
  },
  'GET /console/tickets/:id/messages/:messageId/frame': {
    path: '/console/tickets/:ticket/messages/:message/frame',
  },
  // Needs a signature.
  'GET /console/tickets/:id/messages/:messageId/image': {
    path: '/console/tickets/:ticket/messages/:message/image?url=https%3A%2F%2Fx.example&signature=x',
    own: 404,
  },
  'GET /console/tickets/:id/messages/:messageId/original': {
    path: '/console/tickets/:ticket/messages/:message/original',
  },
  'GET /console/mails': { foreign: 200 },
  'GET /console/mails/:id': { path: '/console/mails/:mail' },
  'GET /console/mails/:id/original': { path: '/console/mails/:mail/original' },
  'POST /console/mails/:id/ticket': { path: '/console/mails/:mail/ticket' },
  'POST /console/mails/:id/parse': { path: '/console/mails/:mail/parse' },
  'POST /console/mailboxes': {
    foreign: 201,
    body: () => newMailbox({ address: 'new@example.com' }),
  },
  'GET /console/mailboxes/:id': { path: mailbox },
  'PATCH /console/mailboxes/:id': { path: mailbox, body: () => ({ name: 'x' }) },
  'DELETE /console/mailboxes/:id': { path: mailbox },
  'GET /console/mailboxes/:id/ledger': { path: `${mailbox}/ledger` },
  'GET /console/mailboxes/:id/suggested-aliases': { path: `${mailbox}/suggested-aliases` },
  'POST /console/mailboxes/:id/dkim': {
    path: `${mailbox}/dkim`,
    body: () => ({ domain: 'acme.example', selector: 'bellhop' }),
  },
  'PATCH /console/mailboxes/:id/dkim': { path: `${mailbox}/dkim`, body: () => ({ isOn: true }), own: 409 },
  'DELETE /console/mailboxes/:id/dkim': { path: `${mailbox}/dkim` },
  'POST /console/mailboxes/:id/pause': { path: `${mailbox}/pause` },
  'POST /console/mailboxes/:id/resume': { path: `${mailbox}/resume` },
  'POST /console/mailboxes/:id/default': { path: `${mailbox}/default` },
  'POST /console/mailboxes/:id/sign-in': { path: `${mailbox}/sign-in`, body: () => ({}), own: 409 },
  'POST /console/mailboxes/test': { foreign: 400, own: 400, body: () => ({ name: 'x', address: 'x' }) },
  'POST /console/mailboxes/:id/test': { path: `${mailbox}/test`, body: () => ({}), own: 0 },
  'GET /console/bots': { foreign: 200 },
  'GET /console/bots/problems': { foreign: 200 },
  'POST /console/bots': { foreign: 400, own: 400, body: () => ({ token: 'x' }) },
  'GET /console/bots/:id': { path: bot },
  'PATCH /console/bots/:id': { path: bot, body: () => ({ name: 'x' }) },
  'DELETE /console/bots/:id': { path: bot },
  'POST /console/bots/:id/pause': { path: `${bot}/pause` },
  'POST /console/bots/:id/resume': { path: `${bot}/resume` },
  // Telegram can't be asked.
  'POST /console/bots/:id/check': { path: `${bot}/check`, own: 503 },
  'POST /console/bots/:id/webhook/remove': { path: `${bot}/webhook/remove`, own: 503 },
  'POST /console/bots/:id/missed/dismiss': { path: `${bot}/missed/dismiss` },
  'GET /console/widgets': { foreign: 200 },
  'POST /console/widgets': {
    foreign: 201,
    body: () => ({ name: 'Shop', origins: ['https://shop.example'] }),
  },
  'GET /console/widgets/:id': { path: widget },
  'PATCH /console/widgets/:id': { path: widget, body: () => ({ name: 'x' }) },
  'DELETE /console/widgets/:id': { path: widget },
  'POST /console/widgets/:id/pause': { path: `${widget}/pause` },
  'POST /console/widgets/:id/resume': { path: `${widget}/resume` },
  'POST /console/widgets/:id/key': { path: `${widget}/key` },
  'POST /console/widgets/:id/identity-secret': { path: `${widget}/identity-secret` },
  'POST /console/widgets/:id/check-identity': {
    path: `${widget}/check-identity`,
    body: () => ({ jwt: 'x' }),
  },
  'GET /console/blocked': { foreign: 200 },
  'DELETE /console/blocked/visitors/:id': { path: '/console/blocked/visitors/:visitor' },
  'DELETE /console/blocked/addresses/:address': { path: `/console/blocked/addresses/${BLOCKED_ADDRESS}` },
  'GET /console/oauth-clients': { foreign: 200 },
  'PUT /console/oauth-clients/:provider': {
    path: '/console/oauth-clients/google',
    foreign: 200,
    body: () => ({ clientId: 'client', clientSecret: 'secret' }),
  },
  'DELETE /console/oauth-clients/:provider': { path: '/console/oauth-clients/google', foreign: 204 },
  'GET /console/oauth/callback': { foreign: 303, own: 303 },

  'GET /console/live': { path: '/console/live?after=0', foreign: 200 },
  'POST /console/presence': { body: (owned) => ({ pageId: 'p', ticketId: owned.ticket, state: 'viewing' }) },
}
