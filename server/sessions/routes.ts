import { Elysia, t } from 'elysia'
import { addressKey } from '../agents/agents.ts'
import type { Deps } from '../deps.ts'
import type { Server } from '../requests/address.ts'
import { requireSameOrigin } from '../requests/headers.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { acceptLink, readLink } from './accept-link.ts'
import type { Attempts } from './attempts.ts'
import { endedCookies, everySessionToken, knownDevice, rememberDevice, sessionCookies } from './cookie.ts'
import type { FirstRun } from './first-run.ts'
import type { AgentGuard } from './require-agent.ts'
import * as schemas from './schemas.ts'
import { endSession, requireSignedIn, type SeenFrom } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { viewLink, viewSession } from './views.ts'

interface Context {
  request: Request
  server: Server | null
  set: { headers: Record<string, unknown> }
}

/** Routes that need no session: first run, sign-in, sign-out and one-time links. */
export function sessionRoutes(
  deps: Deps,
  { guard, attempts, firstRun }: { guard: AgentGuard; attempts: Attempts; firstRun: FirstRun },
) {
  const noQuery = strictQuery()
  const fromOurPages = ({ request }: { request: Request }) =>
    requireSameOrigin(request, deps.config.publicUrl)
  const change = { parse: arrive, transform: [fromOurPages, noQuery, jsonBody] }

  function seenFrom({ request, server }: Context): SeenFrom {
    return {
      device: request.headers.get('user-agent') ?? '',
      address: guard.addressOf(request, server),
    }
  }

  /** Sets the cookies of the new session and of the device, and ends the sessions this browser had. */
  async function signedIn({ request, server, set }: Context, token: string) {
    await endSessionsOf(request)
    const session = await requireSignedIn(deps, token)
    const isSecure = guard.isSecure(request, server)
    const account = addressKey(session.email)
    const device = knownDevice(deps, request.headers.get('cookie'), { account, isSecure })
    set.headers['set-cookie'] = [
      ...sessionCookies(token, isSecure),
      rememberDevice(deps, { account, device, isSecure }),
    ]
    return viewSession(session, deps.config)
  }

  async function endSessionsOf(request: Request): Promise<void> {
    for (const token of everySessionToken(request.headers.get('cookie'))) await endSession(deps, token)
  }

  return new Elysia({ name: 'sessions/routes', prefix: '/console' })
    .get('/first-run', async () => ({ isOpen: await firstRun.isOpen() }), {
      transform: noQuery,
      response: { 200: schemas.firstRunState },
    })
    .post(
      '/first-run',
      async (context) => {
        const from = seenFrom(context)
        const token = await attempts.limited({ address: from.address }, () =>
          firstRun.setUp({ ...context.body, from }),
        )
        return context.status(201, await signedIn(context, token))
      },
      { ...change, body: schemas.firstRun, response: { 201: schemas.session } },
    )
    .post(
      '/first-run/check',
      async (context) => {
        const { address } = seenFrom(context)
        await attempts.limited({ address }, () => firstRun.check(context.body.token))
        return context.status(204, undefined)
      },
      { ...change, body: schemas.link, response: { 204: t.Undefined() } },
    )
    .post(
      '/session',
      async (context) => {
        const { body, status, request, server } = context
        const from = seenFrom(context)
        const account = addressKey(body.email)
        const isSecure = guard.isSecure(request, server)
        const device = knownDevice(deps, request.headers.get('cookie'), { account, isSecure })
        const of = { account, address: from.address, device }
        const outcome = await attempts.limited(
          of,
          () => signIn(deps, { ...body, from }),
          ({ proof }) => proof,
        )
        if ('organizations' in outcome) return status(200, { organizations: outcome.organizations })
        return status(201, await signedIn(context, outcome.token))
      },
      {
        ...change,
        body: schemas.signIn,
        response: { 200: schemas.organizationChoice, 201: schemas.session },
      },
    )
    .delete(
      '/session',
      async ({ request, server, set, status }) => {
        await endSessionsOf(request)
        set.headers['set-cookie'] = endedCookies(guard.isSecure(request, server))
        set.headers['clear-site-data'] = '"cache"'
        return status(204, undefined)
      },
      { transform: [fromOurPages, noQuery], response: { 204: t.Undefined() } },
    )
    .post(
      '/link',
      async (context) => {
        const { address } = seenFrom(context)
        return viewLink(await attempts.limited({ address }, () => readLink(deps, context.body.token)))
      },
      { ...change, body: schemas.link, response: { 200: schemas.linkFacts } },
    )
    .post(
      '/link/accept',
      async (context) => {
        const from = seenFrom(context)
        const token = await attempts.limited({ address: from.address }, () =>
          acceptLink(deps, { ...context.body, from }),
        )
        return context.status(201, await signedIn(context, token))
      },
      { ...change, body: schemas.acceptedLink, response: { 201: schemas.session } },
    )
}
