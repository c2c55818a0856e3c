import { bearerToken, type Caller, type KeyGuard } from '../api-keys/require-api-key.ts'
import type { KeyScope } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { Server } from '../requests/address.ts'
import { type AddressesOf, MCP_PATH } from './oauth-addresses.ts'
import { findProgram } from './tokens.ts'

/**
 * For programs that act for an agent: the caller is the agent, with no more than was granted. API keys and sessions don't
 * count here. Throws 401 with where to sign in (RFC 9728, section 5.1), and 429 after too many invalid tokens.
 */
export function programEntrance(deps: Deps, keys: KeyGuard, addressesOf: AddressesOf) {
  async function authenticate(request: Request, server: Server | null): Promise<Caller> {
    const { resourceMetadata } = addressesOf(request)
    const header = request.headers.get('authorization')
    if (header === null) throw unauthorized(`Bearer resource_metadata="${resourceMetadata}"`)
    const token = bearerToken(header)
    const program = token === undefined ? undefined : await findProgram(deps, token)
    if (!program) {
      keys.countFailure(request, server)
      throw unauthorized(`Bearer error="invalid_token", resource_metadata="${resourceMetadata}"`)
    }
    const { grantId, orgId, agentId, agentName, clientName, scopes } = program
    return {
      kind: 'agent',
      orgId,
      keyId: grantId,
      agentId,
      name: agentName,
      via: clientName,
      scopes,
      rateLimit: null,
      isPublic: false,
      isAdmin: false,
    }
  }

  /** 403 with the scopes to ask the agent for, those that the program has included. */
  function lacksScope(request: Request, caller: Caller, scope: KeyScope): AppError {
    const { resourceMetadata } = addressesOf(request)
    const scopes = [...(caller.scopes ?? []), scope].join(' ')
    const challenge = `Bearer error="insufficient_scope", scope="${scopes}", resource_metadata="${resourceMetadata}"`
    return new AppError(403, 'missing_scope', `The agent hasn't allowed ${scope}.`, {
      headers: { 'www-authenticate': challenge },
    })
  }

  return { path: MCP_PATH, authenticate, lacksScope }
}

function unauthorized(challenge: string): AppError {
  return new AppError(
    401,
    'unauthorized',
    'Sign in with OAuth, and send the access token as Authorization: Bearer.',
    {
      headers: { 'www-authenticate': challenge },
    },
  )
}
