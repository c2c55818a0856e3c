import { statfs } from 'node:fs/promises'
import { type AnyElysia, Elysia } from 'elysia'
import { agentRoutes } from '../agents/routes.ts'
import { agentApiRoutes } from '../agents/v1.ts'
import type { KeyGuard } from '../api-keys/require-api-key.ts'
import { keyRoutes } from '../api-keys/routes.ts'
import { meRoutes } from '../api-keys/v1.ts'
import { attachmentRoutes } from '../attachments/api/v1.ts'
import { auditRoutes } from '../audit/routes.ts'
import type { BackupRequests } from '../backup/backup-runs.ts'
import { backupRoutes } from '../backup/routes.ts'
import { emailRoutes } from '../channels/email/routes.ts'
import { telegramRoutes } from '../channels/telegram/routes.ts'
import { visitorApiRoutes, widgetConsoleRoutes } from '../channels/widget/routes.ts'
import type { VisitorStreams } from '../channels/widget/stream/visitor-streams.ts'
import type { VisitorGuard } from '../channels/widget/visitors/require-visitor.ts'
import { within } from '../clock.ts'
import { customerApiRoutes } from '../customers/api/v1.ts'
import { customerRoutes } from '../customers/directory/routes.ts'
import { DATABASE_FAULT } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { doctorRoutes } from '../doctor/routes.ts'
import { erasureRoutes } from '../erasure/routes.ts'
import { deletionRoutes } from '../erasure/v1.ts'
import { AppError } from '../errors.ts'
import { eventRoutes } from '../events/api/v1.ts'
import type { EventWaits } from '../events/api/waits.ts'
import { importRoutes } from '../imports/v1.ts'
import { inboxRoutes } from '../inbox/routes.ts'
import type { Live } from '../live/live.ts'
import { liveRoutes } from '../live/routes.ts'
import { keyEntrance, mcpRoutes } from '../mcp/routes.ts'
import { messageListRoutes } from '../messages/list-routes.ts'
import { replyRoutes } from '../messages/routes.ts'
import { messageRoutes } from '../messages/v1.ts'
import { moveConsoleRoutes } from '../moves/routes.ts'
import { moveRoutes } from '../moves/v1.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { notificationRoutes } from '../notifications/routes.ts'
import { createClients } from '../oauth/clients.ts'
import { consentRoutes } from '../oauth/console-routes.ts'
import { createOAuthAddresses } from '../oauth/oauth-addresses.ts'
import { programEntrance } from '../oauth/program-entrance.ts'
import { oauthRoutes } from '../oauth/routes.ts'
import { isSetUp } from '../organizations/directory.ts'
import { organizationRoutes } from '../organizations/routes.ts'
import { requestId } from '../requests/headers.ts'
import { createPublicAddress, isLoopbackHost, nameIn } from '../requests/public-address.ts'
import { pathOf } from '../requests/query.ts'
import { watchUntrustedProxies } from '../requests/untrusted-proxy.ts'
import type { LargeResponses } from '../responses/large-responses.ts'
import { savedReplyRoutes } from '../saved-replies/routes.ts'
import { savedReplyApiRoutes } from '../saved-replies/v1.ts'
import { savedViewRoutes } from '../saved-views/routes.ts'
import { searchRoutes } from '../search/routes.ts'
import { searchApiRoutes } from '../search/v1.ts'
import { accountRoutes } from '../sessions/account-routes.ts'
import { createAttempts } from '../sessions/attempts.ts'
import type { FirstRun } from '../sessions/first-run.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import { suggestionRoutes } from '../suggestions/routes.ts'
import { suggestionApiRoutes } from '../suggestions/v1.ts'
import { tagRoutes } from '../tags/routes.ts'
import { tagApiRoutes } from '../tags/v1.ts'
import { threadRoutes } from '../threads/routes.ts'
import { threadApiRoutes } from '../threads/v1.ts'
import { bulkRoutes } from '../tickets/bulk/routes.ts'
import { bulkChangeRoutes } from '../tickets/bulk/v1.ts'
import { ticketRoutes } from '../tickets/v1.ts'
import { replayRoutes } from '../webhooks/api/routes.ts'
import { webhookRoutes } from '../webhooks/api/v1.ts'
import { deliveryRoutes } from '../webhooks/deliveries/routes.ts'
import { endpointRoutes } from '../webhooks/endpoints/routes.ts'
import { assetRoutes } from './assets.ts'
import { builtPages } from './built-pages.ts'
import { checkRequests } from './checked-requests.ts'
import { guideRoutes } from './docs/routes.ts'
import { errorResponse } from './error-response.ts'
import { openapi } from './openapi.ts'
import { type KnownRoute, unknownRoute } from './unknown-route.ts'
import { widgetScriptRoutes } from './widget-script.ts'

/** Supervisors such as Kubernetes wait for a second or a few. */
const MAX_READY_MS = 800

/** For a year, with all ports of the host. Not for loopback names, which every program on a machine shares. */
const HTTPS_ONLY = 'max-age=31536000'

/** Every route. Error handling comes first, because a hook applies only to routes that are registered after it. */
export function createApp(
  deps: Deps,
  guards: {
    keys: KeyGuard
    agents: AgentGuard
    live: Live
    notifications: Notifications
    firstRun: FirstRun
    large: LargeResponses
    widget: { guard: VisitorGuard; streams: VisitorStreams }
    events: EventWaits
    /** Why nothing can be read or saved now. */
    storageFault: () => string | undefined
    /** Whether the proxy should use other servers. */
    isStopping: () => boolean
    backups: BackupRequests
    onUntrustedProxy?: (address: string) => void
  },
) {
  const attempts = createAttempts(deps)
  const oauth = { addressesOf: createOAuthAddresses(deps.config), clients: createClients(deps) }
  const { requireOurHost } = createPublicAddress(deps.config)
  const proxies = watchUntrustedProxies(deps.config.trustProxy, guards.onUntrustedProxy)
  /** Of the app itself, whose type can't depend on it. */
  let routes = (): KnownRoute[] => []
  const app = new Elysia({ name: 'bellhop', normalize: false })
    .onRequest(({ request, set }) => {
      deps.database.refresh()
      proxies.look(request, app.server)
      set.headers['x-request-id'] = requestId(request, deps.clock.now())
      set.headers['x-content-type-options'] = 'nosniff'
      // Otherwise, the proxy could send a request on a connection that is just being closed.
      if (guards.isStopping()) set.headers.connection = 'close'
      // Otherwise, someone could read the data from the browser's disk after the agent has signed out.
      if (isData(request.url)) set.headers['cache-control'] = 'no-store'
      if (deps.config.tls && !isLoopbackHost(nameIn(request.headers.get('host') ?? ''))) {
        set.headers['strict-transport-security'] = HTTPS_ONLY
      }
      requireOurHost(request)
      requireStorage(request.url)
    })
    .onError(({ code, error, request, set }) => {
      const thrown = code === 'NOT_FOUND' ? unknownRoute(app.routes, request) : error
      return errorResponse(deps, thrown, String(set.headers['x-request-id']))
    })
    .use(assetRoutes())
    .use(widgetScriptRoutes())
    .use(healthRoutes(deps, guards))
    .use(ticketRoutes(deps, guards.keys, guards.large))
    .use(messageApiRoutes())
    .use(attachmentRoutes(deps, guards.keys))
    .use(readingApiRoutes())
    .use(sessionRoutes(deps, { guard: guards.agents, attempts, firstRun: guards.firstRun }))
    .use(accountRoutes(guards.agents, attempts))
    .use(agentRoutes(deps, guards.agents))
    .use(organizationRoutes(guards.agents))
    .use(operationRoutes())
    .use(keyRoutes(guards.agents))
    .use(auditRoutes(guards.agents))
    .use(threadRoutes(deps, guards.agents, guards.large))
    .use(ticketConsoleRoutes())
    .use(replyRoutes(guards.agents))
    .use(savedReplyRoutes(guards.agents, guards.large))
    .use(tagRoutes(guards.agents))
    .use(erasureRoutes(guards.agents))
    .use(webhookConsoleRoutes())
    .use(emailRoutes(deps, guards.agents))
    .use(telegramRoutes(deps, guards.agents))
    .use(widgetConsoleRoutes(deps, guards.agents, guards.widget.streams))
    .use(inboxRoutes(guards.agents))
    .use(savedViewRoutes(guards.agents))
    .use(liveRoutes(deps, guards.agents, guards.live, guards.notifications.see))
    .use(visitorApiRoutes(deps, guards.widget))
    .use(guideRoutes(deps.config.publicUrl))
    .use(openapi(deps.config.publicUrl))
  app.use(integrationRoutes()).use(unknownApiRoutes(guards.keys, () => routes()))
  routes = () => app.routes
  checkRequests(app)
  return app

  /** Grouped, because the types of a longer chain are too deep for TypeScript. */
  function operationRoutes() {
    return new Elysia({ name: 'operation' })
      .use(backupRoutes(deps, guards.agents, guards.backups))
      .use(searchRoutes(guards.agents))
      .use(notificationRoutes(guards.agents))
      .use(consentRoutes(guards.agents, oauth))
      .use(doctorRoutes(deps, guards.agents, { untrustedProxy: proxies.seen, widgetTag }))
  }

  function messageApiRoutes() {
    return new Elysia({ name: 'messages' })
      .use(messageRoutes(deps, guards.keys))
      .use(moveRoutes(deps, guards.keys))
  }

  /** What no page calls, so their types are left out: with them, those of the app are too deep for TypeScript. */
  function integrationRoutes(): AnyElysia {
    return new Elysia({ name: 'integrations' })
      .use(messageListRoutes(deps, guards.keys, guards.large))
      .use(webhookRoutes(deps, guards.keys))
      .use(eventRoutes(deps, guards.keys, guards.events))
      .use(bulkChangeRoutes(deps, guards.keys))
      .use(deletionRoutes(deps, guards.keys))
      .use(suggestionApiRoutes(deps, guards.keys))
      .use(mcpRoutes(deps, guards.keys, keyEntrance(guards.keys)))
      .use(mcpRoutes(deps, guards.keys, programEntrance(deps, guards.keys, oauth.addressesOf)))
      .use(oauthRoutes(deps, oauth))
  }

  function readingApiRoutes() {
    return new Elysia({ name: 'reading' })
      .use(meRoutes(deps, guards.keys))
      .use(customerApiRoutes(deps, guards.keys, guards.large))
      .use(importRoutes(deps, guards.keys))
      .use(savedReplyApiRoutes(deps, guards.keys, guards.large))
      .use(searchApiRoutes(deps, guards.keys))
      .use(agentApiRoutes(deps, guards.keys))
      .use(tagApiRoutes(deps, guards.keys))
      .use(threadApiRoutes(deps, guards.keys))
  }

  function ticketConsoleRoutes() {
    return new Elysia({ name: 'tickets' })
      .use(bulkRoutes(guards.agents))
      .use(moveConsoleRoutes(guards.agents))
      .use(customerRoutes(deps, guards.agents))
      .use(suggestionRoutes(guards.agents))
  }

  function webhookConsoleRoutes() {
    return new Elysia({ name: 'webhooks' })
      .use(endpointRoutes(guards.agents))
      .use(deliveryRoutes(deps, guards.agents))
      .use(replayRoutes(deps, guards.agents))
  }

  /** Throws 503. */
  function requireStorage(url: string): void {
    const fault = guards.storageFault()
    if (fault === undefined || !needsStorage(url)) return
    throw new AppError(503, 'storage_unavailable', fault, { headers: { 'retry-after': '5' } })
  }
}

/** Below `/v1`. `routes` are those of the app, once it has them all. */
function unknownApiRoutes(keys: KeyGuard, routes: () => KnownRoute[]) {
  const detail = { hide: true }
  return (
    new Elysia({ name: 'unknown-v1', prefix: '/v1' })
      // Browsers ask before they call from another site's page, without the key. The answer allows nothing: keys don't
      // belong in browsers.
      .options(
        '/*',
        ({ request, set, status }) => {
          const { allow } = unknownRoute(routes(), request).more.headers ?? {}
          if (allow !== undefined) set.headers.allow = allow
          return status(204, undefined)
        },
        { detail },
      )
      .use(keys.requireApiKey)
      // Needs a key and counts toward the rate limit, like any other request.
      .all(
        '/*',
        ({ request }) => {
          throw unknownRoute(routes(), request)
        },
        { parse: 'none', transform: keys.allow(), detail },
      )
  )
}

function widgetTag(): string | undefined {
  return builtPages()?.widget.etag
}

/** Whether the path shows data of an organization. */
function isData(url: string): boolean {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return url.startsWith('/v1', start) || url.startsWith('/console', start) || url.startsWith('/mcp', start)
}

/** Whether the path is not only a page, the documentation, or for monitoring. */
function needsStorage(url: string): boolean {
  const path = pathOf(url)
  return isData(url) || /^\/(?:widget|telegram|oauth)\/(?!authorize)/.test(path)
}

/** For supervisors: `live` while the process responds, `ready` while it reaches its data. Logs each change once. */
function healthRoutes(
  deps: Deps,
  { storageFault, isStopping }: { storageFault: () => string | undefined; isStopping: () => boolean },
) {
  const detail = { hide: true }
  let isReady = true

  /** Real time, because a supervisor waits for the answer. */
  async function reachData(): Promise<void> {
    await within(MAX_READY_MS, isSetUp(deps.database.read), () => {
      throw new Error("The database isn't responding.")
    })
  }

  return new Elysia({ name: 'health', prefix: '/health' })
    .get('/live', () => ({ status: 'ok' }), { detail })
    .get(
      '/ready',
      async ({ status }) => {
        const known = (isStopping() ? 'This server is stopping.' : undefined) ?? storageFault()
        if (known !== undefined) return status(503, { status: known })
        try {
          await reachData()
        } catch (error) {
          if (isReady) deps.log.error('not_ready', { error })
          isReady = false
          return status(503, { status: DATABASE_FAULT })
        }
        if (!isReady) deps.log.info('ready_again')
        isReady = true
        // Without the database, these are missing, too.
        const fault = deps.cluster.fault() ?? (await diskFault(deps.config.dataFolder))
        return fault === undefined ? { status: 'ok' } : status(503, { status: fault })
      },
      { detail },
    )
}

/** Nothing can be saved with so few bytes. */
const FULL_BYTES = 1024 * 1024

/** Undefined while the disk of the data folder has some space. */
async function diskFault(folder: string): Promise<string | undefined> {
  const disk = await statfs(folder).catch(() => undefined)
  return disk && disk.bavail * disk.bsize < FULL_BYTES ? 'The disk of the data folder is full.' : undefined
}

export type App = ReturnType<typeof createApp>
