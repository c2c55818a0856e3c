import { Elysia } from 'elysia'
import type { Caller } from '../api-keys/require-api-key.ts'
import { isStorageFault } from '../database/database.ts'
import { type Actor, actingAs, type Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { createAddressReader, type Server } from '../requests/address.ts'
import { requireSameOrigin } from '../requests/headers.ts'
import { createPublicAddress } from '../requests/public-address.ts'
import { createRateLimiter } from '../requests/rolling-window.ts'
import { hasOnlyPlainSession, sessionToken } from './cookie.ts'
import { extendSession, findSession, movedToHttps, type SignedIn, signedOut } from './sessions.ts'

/** Requests per session in 60 seconds, separately for `/v1` and `/console`. Far more than a person causes. */
const RATE_LIMIT = 1_200
const EXTEND_EVERY_MS = 60_000
const SWEEP_EVERY_MS = 300_000

/** Resolves the session cookie to the signed-in agent. Throws 401, 403 for another site's page, or 429, in this order. */
export function createAgentGuard(deps: Deps) {
  const limiter = createRateLimiter(deps.clock.monotonic)
  const addressOf = createAddressReader(deps.config.trustProxy)
  const { isSecure } = createPublicAddress(deps.config)
  let cancelSweep = deps.clock.after(SWEEP_EVERY_MS, sweep)

  function sweep(): void {
    limiter.sweep()
    cancelSweep = deps.clock.after(SWEEP_EVERY_MS, sweep)
  }

  async function signedIn(request: Request, server: Server | null): Promise<SignedIn | undefined> {
    const token = sessionToken(request.headers.get('cookie'), isSecure(request, server))
    const session = token === undefined ? undefined : await findSession(deps, token)
    if (!session) return undefined
    requireSameOrigin(request, deps.config.publicUrl)
    return session.lastSeenAt + EXTEND_EVERY_MS <= deps.clock.now() ? extended(session) : session
  }

  /** A full disk doesn't keep agents from reading tickets. */
  async function extended(session: SignedIn): Promise<SignedIn> {
    try {
      return await extendSession(deps, session)
    } catch (error) {
      if (!isStorageFault(error)) throw error
      deps.log.warn('session_not_extended', { sessionId: session.sessionId, error })
      return session
    }
  }

  async function requireSession(request: Request, server: Server | null): Promise<SignedIn> {
    const session = await signedIn(request, server)
    if (!session) {
      const isPlain = hasOnlyPlainSession(request.headers.get('cookie'), isSecure(request, server))
      throw isPlain ? movedToHttps() : signedOut()
    }
    if (!limiter.take(session.sessionId, RATE_LIMIT).isAllowed) {
      throw new AppError(429, 'rate_limited', 'Too many requests. Try again in a minute.', {
        headers: { 'retry-after': '60' },
      })
    }
    return session
  }

  return {
    /** Elysia plugin that gives later routes `me`, the agent, and `as`, the dependencies with the agent as actor. */
    requireAgent: new Elysia({ name: 'require-agent' }).derive(
      { as: 'scoped' },
      async ({ request, server }) => {
        const me = await requireSession(request, server)
        const actor: Actor = {
          kind: 'agent',
          id: me.agentId,
          name: me.name,
          address: addressOf(request, server),
        }
        return { me, as: actingAs(deps, actor) }
      },
    ),
    /** Elysia `transform` hook for routes of administrators. */
    adminsOnly({ me }: { me: SignedIn }): void {
      if (me.role === 'admin') return
      throw new AppError(403, 'admins_only', 'Only administrators can do this.')
    },
    /** The signed-in agent as a caller of `/v1`; undefined without a session. */
    async callerOf(request: Request, server: Server | null): Promise<Caller | undefined> {
      const session = await signedIn(request, server)
      if (!session) return undefined
      const { orgId, sessionId, agentId, name, role } = session
      return {
        kind: 'agent',
        orgId,
        keyId: sessionId,
        agentId,
        name,
        scopes: null,
        rateLimit: RATE_LIMIT,
        isPublic: false,
        isAdmin: role === 'admin',
      }
    },
    addressOf,
    isSecure,
    stop(): void {
      cancelSweep()
    },
  }
}

export type AgentGuard = ReturnType<typeof createAgentGuard>
