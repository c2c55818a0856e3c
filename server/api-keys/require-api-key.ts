import { Elysia } from 'elysia'
import type { KeyScope } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { createAddressReader, networkOf, type Server } from '../requests/address.ts'
import { type Allowance, createRateLimiter, WINDOW_MS } from '../requests/rate-limit.ts'
import { createLastUsed, findValidKey } from './api-keys.ts'

/** The caller of a request: an organization's secret key or a signed-in agent. */
export interface Caller {
  orgId: string
  /** Id of the key, or of the agent's session. */
  keyId: string
  /** Only for agents. */
  agentId?: string
  /** Display name, shown on messages posted with the key. */
  name: string
  /** Null means full access. */
  scopes: KeyScope[] | null
  /** Null means the server's default. */
  rateLimit: number | null
  isPublic: boolean
  /** Whether it belongs to an agent who is an administrator. */
  isAdmin: boolean
}

/** Invalid keys that one address, or one /64 network of IPv6, may send in 60 seconds. */
const FAILURES_PER_NETWORK = 60
const SWEEP_EVERY_MS = 300_000

/**
 * Resolves the `Authorization` header to a `Caller` (section 5 of the specification) and enforces permissions and rate
 * limits, in the order 401, 403, 429, before the body is read. A request without the header may come from an agent's
 * browser, which `signedIn` resolves.
 */
export function createKeyGuard(
  deps: Deps,
  { signedIn }: { signedIn: (request: Request, server: Server | null) => Promise<Caller | undefined> },
) {
  const limiter = createRateLimiter(deps.clock.monotonic)
  const failures = createRateLimiter(deps.clock.monotonic)
  const lastUsed = createLastUsed(deps)
  const addressOf = createAddressReader(deps.config.trustProxy)
  let cancelSweep = deps.clock.after(SWEEP_EVERY_MS, sweep)

  function sweep(): void {
    limiter.sweep()
    failures.sweep()
    cancelSweep = deps.clock.after(SWEEP_EVERY_MS, sweep)
  }

  async function authenticate(request: Request, server: Server | null): Promise<Caller> {
    const header = request.headers.get('authorization')
    const agent =
      header === null && request.headers.has('cookie') ? await signedIn(request, server) : undefined
    if (agent) return agent
    const token = bearerToken(header)
    const key = token === undefined ? undefined : await findValidKey(deps, token)
    if (!key) throw unauthorized(networkOf(addressOf(request, server)))
    lastUsed.record(key.id)
    const { id: keyId, orgId, name, scopes, rateLimit, kind } = key
    return { orgId, keyId, name, scopes, rateLimit, isPublic: kind === 'public', isAdmin: false }
  }

  function unauthorized(network: string): AppError {
    const allowance = failures.take(network, FAILURES_PER_NETWORK)
    if (!allowance.isAllowed) return tooMany('Too many requests without a valid key.', allowance)
    return new AppError(401, 'unauthorized', 'Send a valid secret key as Authorization: Bearer <API_KEY>.', {
      headers: { 'www-authenticate': 'Bearer realm="Bellhop"' },
    })
  }

  return {
    /** For routes where only some callers need a key. Throws 401, or 429 after too many invalid keys. */
    authenticate,
    /** Elysia plugin that gives later routes `caller`. It uses `derive`, which runs before validation. */
    requireApiKey: new Elysia({ name: 'require-api-key' }).derive(
      { as: 'scoped' },
      async ({ request, server }) => ({ caller: await authenticate(request, server) }),
    ),
    /** Elysia `transform` hook that checks the scope and the rate limit. Without a scope any secret key is allowed. */
    allow(scope?: KeyScope) {
      return ({ caller, set }: { caller: Caller; set: { headers: Record<string, unknown> } }): void => {
        const limit = caller.rateLimit ?? deps.config.rateLimit
        const refusal = scopeRefusal(caller, scope)
        const allowance = refusal ? limiter.look(caller.keyId, limit) : limiter.take(caller.keyId, limit)
        Object.assign(set.headers, rateHeaders(allowance, deps.clock.now()))
        if (refusal) throw refusal
        if (!allowance.isAllowed) throw tooMany('This key has reached its rate limit.', allowance)
      }
    },
    async stop(): Promise<void> {
      cancelSweep()
      await lastUsed.stop()
    },
  }
}

export type KeyGuard = ReturnType<typeof createKeyGuard>

/** The owner of an upload: the agent, or the key if there is no agent. */
export function idOfCaller({ agentId, keyId }: Caller): string {
  return agentId ?? keyId
}

function bearerToken(header: string | null): string | undefined {
  return header === null ? undefined : /^Bearer +(\S+) *$/i.exec(header)?.[1]
}

function scopeRefusal(caller: Caller, scope: KeyScope | undefined): AppError | undefined {
  if (caller.isPublic) {
    return new AppError(403, 'public_key', 'Public keys work only for the widget. Use a secret key.')
  }
  if (scope === undefined || caller.scopes === null || caller.scopes.includes(scope)) return undefined
  return new AppError(403, 'missing_scope', `This key needs the scope ${scope}.`)
}

/** For a permission that only some requests to a route need. Throws 403. */
export function requireScope(caller: Caller, scope: KeyScope): void {
  const refusal = scopeRefusal(caller, scope)
  if (refusal) throw refusal
}

function tooMany(message: string, { resetMs }: Allowance): AppError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  return new AppError(429, 'rate_limited', `${message} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

/** The IETF draft's fields (draft-ietf-httpapi-ratelimit-headers) and the older ones that most clients read. */
function rateHeaders({ limit, remaining, resetMs }: Allowance, now: number): Record<string, string> {
  const seconds = Math.ceil(resetMs / 1000)
  return {
    'ratelimit-policy': `"default";q=${limit};w=${WINDOW_MS / 1000}`,
    ratelimit: `"default";r=${remaining};t=${seconds}`,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil((now + resetMs) / 1000)),
  }
}
