import { Elysia } from 'elysia'
import type { KeyGuard } from '../api-keys/require-api-key.ts'
import type { Deps } from '../deps.ts'
import { inboxRoutes } from '../inbox/routes.ts'
import type { Live } from '../live/live.ts'
import { liveRoutes } from '../live/routes.ts'
import { requestId } from '../requests/request-id.ts'
import type { FirstRun } from '../sessions/first-run.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { ticketRoutes } from '../tickets/v1.ts'
import { VERSION } from '../version.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { apiDescription } from './api-description.ts'
import { assetRoutes } from './assets.ts'
import { deskRoutes } from './desk.ts'
import { errorResponse } from './error-response.ts'
import { healthRoutes } from './health.ts'
import { openapi } from './openapi.ts'
import { ticketDeskRoutes } from './ticket-desk.ts'
import { unknownRoute } from './unknown-route.ts'

/** The whole HTTP side. Error mapping comes first: a hook applies to what is registered behind it. */
export function createApp(
  deps: Deps,
  guards: { keys: KeyGuard; agents: AgentGuard; live: Live; firstRun: FirstRun },
) {
  const app = new Elysia({ name: 'bellhop', normalize: false })
    .onRequest(({ request, set }) => {
      set.headers['x-request-id'] = requestId(request, deps.clock.now())
      set.headers['x-content-type-options'] = 'nosniff'
    })
    .onError(({ code, error, request, set }) => {
      const refusal = code === 'NOT_FOUND' ? unknownRoute(app.routes, request) : error
      return errorResponse(deps, refusal, String(set.headers['x-request-id']))
    })
    .use(assetRoutes())
    .use(healthRoutes(deps))
    .use(ticketRoutes(deps, guards.keys))
    .use(deskRoutes(deps, guards))
    .use(ticketDeskRoutes(deps, guards.agents))
    .use(webhookRoutes(deps, guards.agents))
    .use(inboxRoutes(guards.agents))
    .use(liveRoutes(deps, guards.agents, guards.live))
    .use(unknownApiRoutes())
    .use(openapi(apiDescription(VERSION, deps.config.publicUrl)))
  return app

  /** What `/v1` does not have: told to those with a key only, and counted like any other request. */
  function unknownApiRoutes() {
    return new Elysia({ name: 'unknown-v1', prefix: '/v1' }).use(guards.keys.requireApiKey).all(
      '/*',
      ({ request }) => {
        throw unknownRoute(app.routes, request)
      },
      { parse: 'none', transform: guards.keys.allow(), detail: { hide: true } },
    )
  }
}

export type App = ReturnType<typeof createApp>
