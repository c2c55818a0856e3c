import { Elysia, t } from 'elysia'
import { isoTime } from '../../../dates.ts'
import type { Deps } from '../../../deps.ts'
import { notFound } from '../../../errors.ts'
import { baseUrl } from '../../../requests/headers.ts'
import { arrive, jsonBody } from '../../../requests/json-body.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId, oneOf } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { createMailDialer } from '../mail-account.ts'
import { listOauthClients, type OauthClient, removeOauthClient, saveOauthClient } from './oauth-clients.ts'
import { OAUTH_PROVIDERS, type OauthProvider } from './oauth-providers.ts'
import { finishSignIn, startSignIn } from './oauth-sign-in.ts'

const strict = { additionalProperties: false }
const line = t.String({ maxLength: 4_000 })
const byProvider = t.Object({ provider: t.String() })
const clientInput = t.Object(
  { clientId: line, clientSecret: t.Optional(line), tenant: t.Optional(line) },
  strict,
)
const clientSchema = t.Object({
  provider: oneOf(OAUTH_PROVIDERS),
  clientId: t.String(),
  tenant: t.String(),
  updatedAt: t.String({ format: 'date-time' }),
})
const clientList = t.Object({
  data: t.Array(clientSchema),
  /** To be registered at the provider. */
  redirectUrl: t.String(),
})
const signInRequest = t.Object({ login: t.Optional(t.String({ maxLength: 320 })) }, strict)

/** The organization's OAuth clients, and signing in to mailboxes at Google and Microsoft. For administrators. */
export function oauthRoutes(deps: Deps, guard: AgentGuard) {
  const { publicUrl } = deps.config
  const mail = { clock: deps.clock, dialer: createMailDialer(deps) }
  const transform = [guard.adminsOnly, strictQuery()]
  const withBody = { parse: arrive, transform: [...transform, jsonBody] }
  const redirectUrl = (request: Request) => `${baseUrl(request, publicUrl)}/console/oauth/callback`

  return new Elysia({ name: 'oauth/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/oauth-clients',
      async ({ me, as, request }) => ({
        data: (await listOauthClients(as, me.orgId)).map(viewClient),
        redirectUrl: redirectUrl(request),
      }),
      { transform, response: { 200: clientList } },
    )
    .put(
      '/oauth-clients/:provider',
      async ({ me, as, params, body }) =>
        viewClient(await saveOauthClient(as, me.orgId, requireProvider(params.provider), body)),
      { ...withBody, params: byProvider, body: clientInput, response: { 200: clientSchema } },
    )
    .delete(
      '/oauth-clients/:provider',
      async ({ me, as, params, status }) => {
        await removeOauthClient(as, me.orgId, requireProvider(params.provider))
        return status(204, undefined)
      },
      { transform, params: byProvider, response: { 204: t.Undefined() } },
    )
    .post(
      '/mailboxes/:id/sign-in',
      async ({ me, as, params, body, request }) => {
        const given = { mailboxId: params.id, login: body.login, redirectUrl: redirectUrl(request) }
        return { url: await startSignIn(as, me, given) }
      },
      { ...withBody, params: byId, body: signInRequest, response: { 200: t.Object({ url: t.String() }) } },
    )
    .get(
      '/oauth/callback',
      async ({ me, as, request }) => {
        // Providers add parameters of their own.
        const query = new URL(request.url).searchParams
        const given = { state: query.get('state') ?? '', code: query.get('code') ?? undefined }
        const { outcome, mailboxId } = await finishSignIn(as, mail, me, given)
        const page = mailboxId === undefined ? '/settings/email' : `/settings/email/${mailboxId}`
        return new Response(null, { status: 303, headers: { location: `${page}?sign-in=${outcome}` } })
      },
      { transform: guard.adminsOnly },
    )
}

function requireProvider(name: string): OauthProvider {
  const provider = OAUTH_PROVIDERS.find((one) => one === name)
  if (!provider) throw notFound('provider')
  return provider
}

function viewClient({ provider, clientId, tenant, updatedAt }: OauthClient) {
  return { provider, clientId, tenant, updatedAt: isoTime(updatedAt) }
}
