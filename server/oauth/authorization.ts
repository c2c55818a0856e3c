import { hasScope } from '../api-keys/require-api-key.ts'
import type { KeyScope } from '../database/tables/api-keys.ts'
import { AppError } from '../errors.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import type { Clients, OAuthClient } from './clients.ts'
import type { OAuthAddresses } from './oauth-addresses.ts'
import { OAuthError } from './oauth-error.ts'
import { isNamedRedirect, isRedirectUri, redirectTo } from './redirects.ts'

/** What the tools of `/mcp` need. A program that names no scopes asks for these. */
export const TOOL_SCOPES: readonly KeyScope[] = [
  'tickets:read',
  'tickets:write',
  'messages:write',
  'notes:read',
  'notes:write',
  'customers:read',
  'suggestions:write',
]
/** What agents can allow: `agents:read` adds email addresses to get_workspace. Other scopes do nothing at `/mcp`. */
const OFFERED_SCOPES: readonly KeyScope[] = [...TOOL_SCOPES, 'agents:read']
/** The agent has to choose it: what is sent can't be taken back. */
const NOT_BY_DEFAULT: KeyScope = 'messages:write'

const METHOD = 'S256'
/** SHA-256 as base64url (RFC 7636, section 4.2). */
const CHALLENGE = /^[\w-]{43}$/

/** A program's request for access, checked. */
export interface Authorization {
  client: OAuthClient
  redirectUri: string
  /** PKCE: SHA-256 of the verifier, base64url. */
  challenge: string
  /** What was asked for and the agent may allow, at least one. */
  scopes: KeyScope[]
}

/** What the program gets when the agent goes back to it. */
interface Returning {
  redirectUri: string
  state: string | undefined
}

/** A request whose client and redirect are valid. Whatever else is wrong is told to the client itself. */
export type ReadAuthorization = Returning & { client: OAuthClient } & (
    | { authorization: Authorization }
    | { error: OAuthError }
  )

/**
 * Reads the query of `/oauth/authorize`. Throws 400 when the client or its redirect isn't valid: then no one may be sent
 * there (RFC 6749, section 4.1.2.1).
 */
export async function readAuthorization(
  clients: Clients,
  query: string,
  { me, addresses }: { me: SignedIn; addresses: OAuthAddresses },
): Promise<ReadAuthorization> {
  const parameters = new URLSearchParams(query)
  const client = await clientOf(clients, only(parameters, 'client_id'), me)
  const redirectUri = only(parameters, 'redirect_uri')
  if (!isRedirectUri(redirectUri) || !isNamedRedirect(client.redirectUris, redirectUri)) {
    throw new AppError(
      400,
      'wrong_redirect',
      `${client.name} asks to be answered at an address that it hasn't named before. Nothing was sent there.`,
    )
  }
  const [state] = parameters.getAll('state')
  const returning = { client, redirectUri, state }
  try {
    const challenge = challengeOf(parameters, addresses)
    const scopes = scopesOf(only(parameters, 'scope'), me)
    return { ...returning, authorization: { client, redirectUri, challenge, scopes } }
  } catch (error) {
    if (error instanceof OAuthError) return { ...returning, error }
    throw error
  }
}

/** Whether it's offered, and the agent's role has it. */
function mayAllow({ role }: Pick<SignedIn, 'role'>, scope: KeyScope): boolean {
  if (!OFFERED_SCOPES.includes(scope)) return false
  const inConsole = { kind: 'agent', scopes: null, isAdmin: role === 'admin' } as const
  return hasScope(inConsole, scope)
}

/** Whether it is chosen before the agent has chosen. */
export function isByDefault(scope: KeyScope): boolean {
  return scope !== NOT_BY_DEFAULT
}

/** Back to the program, with the issuer, so that it can't take the answer for another server's (RFC 9207). */
export function returnTo(
  { redirectUri, state }: Returning,
  { issuer }: OAuthAddresses,
  answer: { code: string } | OAuthError,
): string {
  const own =
    answer instanceof OAuthError ? { error: answer.code, error_description: answer.description } : answer
  return redirectTo(redirectUri, { ...own, state, iss: issuer })
}

/** Throws 400. */
async function clientOf(
  clients: Clients,
  id: string | undefined,
  { agentId }: SignedIn,
): Promise<OAuthClient> {
  if (id === undefined) {
    throw new AppError(400, 'unknown_client', 'The link is incomplete. Start again in the program.')
  }
  try {
    return await clients.find(id, agentId)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw new AppError(400, 'client_document_unreadable', `The program can't connect: ${error.description}`)
  }
}

/** Throws `OAuthError`. */
function challengeOf(parameters: URLSearchParams, { resource }: OAuthAddresses): string {
  const repeated = [...new Set(parameters.keys())].find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined) throw new OAuthError('invalid_request', 'A parameter was sent twice.')
  if (parameters.get('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code.')
  }
  if ((parameters.get('response_mode') ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query.')
  }
  const challenge = parameters.get('code_challenge')
  // Without a method it would be plain.
  if (
    challenge === null ||
    !CHALLENGE.test(challenge) ||
    parameters.get('code_challenge_method') !== METHOD
  ) {
    throw new OAuthError('invalid_request', 'PKCE is required: send code_challenge with the method S256.')
  }
  requireResource(parameters.getAll('resource'), resource)
  return challenge
}

/** Throws `OAuthError`. */
export function requireResource(given: string[], resource: string): void {
  if (given.length === 1 && given[0] === resource) return
  throw new OAuthError('invalid_target', `resource must be ${resource}`)
}

/** Scopes that aren't offered are left out. Throws `OAuthError` when none is left. */
function scopesOf(asked: string | undefined, me: SignedIn): KeyScope[] {
  const names: readonly string[] = asked === undefined ? TOOL_SCOPES : asked.split(' ')
  const scopes = OFFERED_SCOPES.filter((scope) => names.includes(scope) && mayAllow(me, scope))
  if (scopes.length > 0) return scopes
  throw new OAuthError('invalid_scope', `scope must name some of: ${TOOL_SCOPES.join(' ')}`)
}

/** Undefined unless it was sent once. */
function only(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = parameters.getAll(name)
  return more.length === 0 && value !== '' ? value : undefined
}

/** Of what was granted, what the agent's role has now. */
export function scopesNow(granted: readonly KeyScope[], agent: Pick<SignedIn, 'role'>): KeyScope[] {
  return granted.filter((scope) => mayAllow(agent, scope))
}
