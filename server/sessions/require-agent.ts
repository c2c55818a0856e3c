import { Elysia } from 'elysia'
import { createRateLimiter } from '../api-keys/rate-limit.ts'
import type { Caller } from '../api-keys/require-api-key.ts'
import { isStorageFault } from '../database/storage-fault.ts'
import { type Actor, actingAs, type Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { createAddressReader } from '../requests/address.ts'
import { requireSameOrigin } from '../requests/same-origin.ts'
import { sessionToken } from './cookie.ts'
import { extendSession, findSession, type SignedIn, signedOut } from './sessions.ts'

/** Requests of one session in 60 seconds, on `/v1` and on `/console` each: far more than a person causes. */
const RATE_LIMIT = 1_200
const EXTEND_EVERY_MS = 60_000
const SWEEP_EVERY_MS = 300_000

/** Turns the session cookie into the agent who is signed in: 401, 403 for another site's page, 429, in this order. */
export function createAgentGuard(deps: Deps) {
  const limiter = createRateLimiter(deps.clock.monotonic)
  const addressOf = createAddressReader(deps.config.trustProxy)
  let cancelSweep = deps.clock.after(SWEEP_EVERY_MS, sweep)

  function sweep(): void {
    limiter.sweep()
    cancelSweep = deps.clock.after(SWEEP_EVERY_MS, sweep)
  }

  async function signedIn(request: Request): Promise<SignedIn | undefined> {
    const token = sessionToken(request.headers.get('cookie'))
    const session = token === undefined ? undefined : await findSession(deps, token)
    if (!session) return undefined
    requireSameOrigin(request, deps.config.publicUrl)
    return session.lastSeenAt + EXTEND_EVERY_MS <= deps.clock.now() ? extended(session) : session
  }

  /** With a full disk tickets can still be read. */
  async function extended(session: SignedIn): Promise<SignedIn> {
    try {
      return await extendSession(deps, session)
    } catch (error) {
      if (!isStorageFault(error)) throw error
      deps.log.warn('session_not_extended', { sessionId: session.sessionId, error })
      return session
    }
  }

  async function requireSession(request: Request): Promise<SignedIn> {
    const session = await signedIn(request)
    if (!session) throw signedOut()
    if (!limiter.take(session.sessionId, RATE_LIMIT).isAllowed) {
      throw new AppError(429, 'rate_limited', 'Too many requests from this browser. Try again in a minute.', {
        headers: { 'retry-after': '60' },
      })
    }
    return session
  }

  return {
    /** Elysia plugin: gives the routes behind it `me`, and `as`: the dependencies in the agent's name. */
    requireAgent: new Elysia({ name: 'require-agent' }).derive(
      { as: 'scoped' },
      async ({ request, server }) => {
        const me = await requireSession(request)
        const actor: Actor = {
          kind: 'agent',
          id: me.agentId,
          name: me.name,
          address: addressOf(request, server),
        }
        return { me, as: actingAs(deps, actor) }
      },
    ),
    /** Elysia `transform` hook for what only administrators may. */
    adminsOnly({ me }: { me: SignedIn }): void {
      if (me.role === 'admin') return
      throw new AppError(403, 'admins_only', 'Only administrators may do this.')
    },
    /** The same agent as a caller of `/v1`; undefined without a session. */
    async callerOf(request: Request): Promise<Caller | undefined> {
      const session = await signedIn(request)
      if (!session) return undefined
      const { orgId, sessionId, agentId, name } = session
      return {
        orgId,
        keyId: sessionId,
        agentId,
        name,
        scopes: null,
        rateLimit: RATE_LIMIT,
        isPublic: false,
      }
    },
    addressOf,
    stop(): void {
      cancelSweep()
    },
  }
}

export type AgentGuard = ReturnType<typeof createAgentGuard>
