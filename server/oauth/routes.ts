import { type AnyElysia, Elysia } from 'elysia'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { createAddressReader, networkOf, type Server } from '../requests/address.ts'
import { arrive, jsonBody, readBody } from '../requests/json-body.ts'
import { createLimits } from '../requests/rolling-window.ts'
import { requireResource, TOOL_SCOPES } from './authorization.ts'
import type { Clients } from './clients.ts'
import {
  type AddressesOf,
  AUTHORIZE_PATH,
  REGISTER_PATH,
  RESOURCE_METADATA_PATH,
  REVOKE_PATH,
  SERVER_METADATA_PATH,
  TOKEN_PATH,
} from './oauth-addresses.ts'
import { OAuthError, tooMany } from './oauth-error.ts'
import { type IssuedTokens, redeemCode, refreshTokens, revokeToken } from './tokens.ts'

const MAX_FORM_BYTES = 16_384
/** One address may be that of a service with many agents. */
const REQUESTS_PER_NETWORK = 300
const REQUESTS_IN_ALL = 20_000
/** Programs that run in a browser call from other sites, without cookies. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, MCP-Protocol-Version',
  'access-control-max-age': '86400',
}
const NOT_STORED = { 'cache-control': 'no-store', pragma: 'no-cache' }

interface Context {
  request: Request
  server: Server | null
  set: { headers: Record<string, unknown> }
}

/** What programs call: the metadata, and the token, registration and revocation endpoints. No page calls it. */
export function oauthRoutes(
  deps: Deps,
  { addressesOf, clients }: { addressesOf: AddressesOf; clients: Clients },
): AnyElysia {
  const addressOf = createAddressReader(deps.config.trustProxy)
  const limits = createLimits(deps.clock.monotonic)
  const detail = { hide: true }

  /** Throws 400, 413, 415, and 429. */
  async function readForm(context: Context): Promise<URLSearchParams> {
    const { request, server } = context
    const network = networkOf(addressOf(request, server))
    const wait = limits.take([
      { key: 'all', most: REQUESTS_IN_ALL, in: 'minute' },
      { key: `of ${network}`, most: REQUESTS_PER_NETWORK, in: 'minute' },
    ])
    if (wait !== undefined) throw tooMany('Too many requests.', wait)
    if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? '')) {
      const detail = 'Send the body as Content-Type: application/x-www-form-urlencoded.'
      throw new AppError(415, 'unsupported_media_type', detail)
    }
    const bytes = await readBody(context, MAX_FORM_BYTES)
    if (!bytes)
      throw new AppError(413, 'body_too_large', `The body may have at most ${MAX_FORM_BYTES} bytes.`)
    return new URLSearchParams(new TextDecoder().decode(bytes))
  }

  async function tokensFor(context: Context): Promise<IssuedTokens> {
    const form = await readForm(context)
    const clientId = required(form, 'client_id')
    requireResource(form.getAll('resource'), addressesOf(context.request).resource)
    switch (required(form, 'grant_type')) {
      case 'authorization_code':
        return redeemCode(deps, {
          code: required(form, 'code'),
          clientId,
          redirectUri: required(form, 'redirect_uri'),
          verifier: required(form, 'code_verifier'),
        })
      case 'refresh_token':
        return refreshTokens(deps, limits, {
          token: required(form, 'refresh_token'),
          clientId,
          scope: form.get('scope') ?? undefined,
        })
      default:
        throw new OAuthError(
          'unsupported_grant_type',
          'grant_type must be authorization_code or refresh_token.',
        )
    }
  }

  return new Elysia({ name: 'oauth' })
    .onTransform(({ set }) => void Object.assign(set.headers, CORS))
    .get(RESOURCE_METADATA_PATH, ({ request }) => resourceMetadata(addressesOf(request)), { detail })
    .get(SERVER_METADATA_PATH, ({ request }) => serverMetadata(addressesOf(request)), { detail })
    .post(TOKEN_PATH, (context) => answered(200, () => tokensFor(context)), { parse: arrive, detail })
    .post(
      REGISTER_PATH,
      ({ request, server, body }) =>
        answered(201, () => {
          addressesOf(request)
          const metadata = typeof body === 'object' && body !== null ? { ...body } : {}
          const { id, name, redirectUris } = clients.register(metadata, addressOf(request, server))
          return {
            client_id: id,
            client_id_issued_at: Math.floor(deps.clock.now() / 1_000),
            client_name: name,
            redirect_uris: redirectUris,
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
            token_endpoint_auth_method: 'none',
          }
        }),
      { parse: arrive, transform: jsonBody, detail },
    )
    .post(
      REVOKE_PATH,
      (context) =>
        answered(200, async () => {
          const form = await readForm(context)
          await revokeToken(deps, { token: required(form, 'token'), clientId: required(form, 'client_id') })
          return {}
        }),
      { parse: arrive, detail },
    )
    .options(RESOURCE_METADATA_PATH, preflight, { detail })
    .options(SERVER_METADATA_PATH, preflight, { detail })
    .options(TOKEN_PATH, preflight, { detail })
    .options(REGISTER_PATH, preflight, { detail })
    .options(REVOKE_PATH, preflight, { detail })
}

/** RFC 9728, section 2. */
function resourceMetadata({ resource, issuer, urlOf }: ReturnType<AddressesOf>) {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: TOOL_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Bellhop',
    resource_documentation: urlOf('/docs/connected-programs'),
  }
}

/** RFC 8414, section 2. */
function serverMetadata({ issuer, urlOf }: ReturnType<AddressesOf>) {
  return {
    issuer,
    authorization_endpoint: urlOf(AUTHORIZE_PATH),
    token_endpoint: urlOf(TOKEN_PATH),
    registration_endpoint: urlOf(REGISTER_PATH),
    revocation_endpoint: urlOf(REVOKE_PATH),
    scopes_supported: TOOL_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}

/** The answer as JSON that no one keeps, or the error as OAuth describes it. */
async function answered(status: number, work: () => object | Promise<object>): Promise<Response> {
  try {
    return json(status, await work())
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const isClient = error.code === 'invalid_client'
    return json(isClient ? 401 : 400, { error: error.code, error_description: error.description })
  }
}

function json(status: number, body: object): Response {
  return Response.json(body, { status, headers: NOT_STORED })
}

function preflight(): Response {
  return new Response(null, { status: 204 })
}

/** Throws `OAuthError` unless it was sent once. */
function required(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name)
  if (value && more.length === 0) return value
  throw new OAuthError('invalid_request', `${name} is required, once.`)
}
