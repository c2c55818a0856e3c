import { Elysia } from 'elysia'
import { type KeyScope, NAMED_SCOPES } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { createAddressReader, networkOf, type Server } from '../requests/address.ts'
import { requireReadablePath } from '../requests/path.ts'
import { createLastUsed, findValidKey } from './api-keys.ts'
import { createKeyLimits } from './rate-limit.ts'

/** The caller of a request: an organization's secret key, which may belong to a program, or a signed-in agent. */
export interface Caller {
  kind: 'agent' | 'program' | 'key'
  orgId: string
  /** Id of the key, of the agent's session, or of what the agent granted to a program. */
  keyId: string
  /** Of the agent or the program. */
  agentId?: string
  /** Display name, shown on messages: of the agent or the program, or else of the key. */
  name: string
  /** What the program calls itself through which the agent acts. */
  via?: string
  /** Null means full access: all but `NAMED_SCOPES`. */
  scopes: KeyScope[] | null
  /** Null means the server's default. */
  rateLimit: number | null
  isPublic: boolean
  /** Whether it belongs to an agent who is an administrator. */
  isAdmin: boolean
}

interface AllowedContext {
  caller: Caller
  set: { headers: Record<string, unknown> }
  request: Request
  params?: Record<string, string>
}

/**
 * Resolves the `Authorization` header to a `Caller` (section 5 of the specification) and enforces permissions and rate
 * limits, in the order 401, 403, 429, before the body is read. A request without the header may come from an agent's
 * browser, which `signedIn` resolves.
 */
export function createKeyGuard(
  deps: Deps,
  { signedIn }: { signedIn: (request: Request, server: Server | null) => Promise<Caller | undefined> },
) {
  const limits = createKeyLimits(deps)
  const lastUsed = createLastUsed(deps)
  const addressOf = createAddressReader(deps.config.trustProxy)

  function countFailure(request: Request, server: Server | null): void {
    limits.countFailure(networkOf(addressOf(request, server)))
  }

  async function authenticate(request: Request, server: Server | null): Promise<Caller> {
    const header = request.headers.get('authorization')
    const agent =
      header === null && request.headers.has('cookie') ? await signedIn(request, server) : undefined
    if (agent) return agent
    const token = bearerToken(header)
    const key = token === undefined ? undefined : await findValidKey(deps, token)
    if (!key) {
      countFailure(request, server)
      throw noValidKey()
    }
    const { id: keyId, orgId, name, scopes, rateLimit, kind, agentId, program } = key
    if (program?.disabledAt != null) throw programDisabled()
    lastUsed.record(key.id)
    const ofKey = { orgId, keyId, scopes, rateLimit, isPublic: kind === 'public', isAdmin: false }
    if (agentId === null) return { ...ofKey, kind: 'key', name }
    return { ...ofKey, kind: 'program', agentId, name: program?.name ?? name }
  }

  return {
    /** For routes where only some callers need a key. Throws 401, or 429 after too many invalid keys. */
    authenticate,
    /** Counts a request with something else than a valid key, such as an access token that has ended. Throws 429 after too many. */
    countFailure,
    /** Elysia plugin that gives later routes `caller`. It uses `derive`, which runs before validation. */
    requireApiKey: new Elysia({ name: 'require-api-key' }).derive(
      { as: 'scoped' },
      async ({ request, server }) => ({ caller: await authenticate(request, server) }),
    ),
    /**
     * Elysia `transform` hook that checks the scope and the rate limit, and then the path. Without a scope any secret key
     * is allowed. With another one a key with either is: the route asks with `require` for the one that a request needs.
     */
    allow(scope?: KeyScope, other?: KeyScope) {
      return async ({ caller, set, request, params }: AllowedContext): Promise<void> => {
        const refusal = scopeRefusal(caller, scope)
        const isOther = other !== undefined && scopeRefusal(caller, other) === undefined
        await limits.take(caller, set.headers, isOther ? undefined : refusal)
        requireReadablePath(request, params)
      }
    },
    /** For a permission that depends on the body. Like any other, a request without it doesn't count. Throws 403. */
    require({ caller, set }: { caller: Caller; set: { headers: Record<string, unknown> } }, scope: KeyScope) {
      const refusal = scopeRefusal(caller, scope)
      if (!refusal) return
      limits.giveBack(caller, set.headers)
      throw refusal
    },
    /** For a request that is refused in another way: it doesn't count either. */
    giveBack: limits.giveBack,
    /** Counts what some requests do, beside the requests themselves. Throws 429. */
    takeFor: limits.takeFor,
    async stop(): Promise<void> {
      await Promise.all([limits.stop(), lastUsed.stop()])
    },
  }
}

export type KeyGuard = ReturnType<typeof createKeyGuard>

/** The owner of an upload and of idempotency keys: the agent, or the key, also that of a program. */
export function idOfCaller({ kind, agentId, keyId }: Caller): string {
  return kind === 'agent' && agentId !== undefined ? agentId : keyId
}

export function noValidKey(): AppError {
  return new AppError(401, 'unauthorized', 'Send a valid secret key as Authorization: Bearer <API_KEY>.', {
    headers: { 'www-authenticate': 'Bearer realm="Bellhop"' },
  })
}

export function bearerToken(header: string | null): string | undefined {
  return header === null ? undefined : /^Bearer +(\S+) *$/i.exec(header)?.[1]
}

function programDisabled(): AppError {
  return new AppError(403, 'program_disabled', 'The program that this key belongs to is disabled.')
}

function scopeRefusal(caller: Caller, scope: KeyScope | undefined): AppError | undefined {
  if (caller.isPublic) {
    return new AppError(403, 'public_key', 'Public keys work only for the widget. Use a secret key.')
  }
  if (scope === undefined || hasScope(caller, scope)) return undefined
  return new AppError(403, 'missing_scope', `This key needs the scope ${scope}.`)
}

/** What only administrators see in the console. */
const ADMIN_SCOPES: readonly KeyScope[] = [...NAMED_SCOPES, 'endpoints:read']

/**
 * Full access is everything but the scopes that a key has only by name. Of agents, administrators have those too, and the
 * others not even what only administrators see in the console.
 */
export function hasScope(
  { kind, scopes, isAdmin }: Pick<Caller, 'kind' | 'scopes' | 'isAdmin'>,
  scope: KeyScope,
): boolean {
  if (scopes !== null) return scopes.includes(scope)
  if (kind === 'agent') return isAdmin || !ADMIN_SCOPES.includes(scope)
  return !NAMED_SCOPES.includes(scope)
}

/** For a permission that only some requests to a route need. Throws 403. */
export function requireScope(caller: Caller, scope: KeyScope): void {
  const refusal = scopeRefusal(caller, scope)
  if (refusal) throw refusal
}
