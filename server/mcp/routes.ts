import { type AnyElysia, Elysia } from 'elysia'
import { type Caller, type KeyGuard, noValidKey } from '../api-keys/require-api-key.ts'
import type { KeyScope } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { Server } from '../requests/address.ts'
import { isOurOrigin } from '../requests/headers.ts'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { createPublicAddress } from '../requests/public-address.ts'
import { strictQuery } from '../requests/query.ts'

interface Entrance {
  path: string
  /** Who sent a request. Throws 401 with the headers that tell a client how to get access. */
  authenticate(request: Request, server: Server | null): Promise<Caller>
  /** The answer to a call of a tool whose scope the caller lacks. Without it, there is no such tool. */
  lacksScope?(request: Request, caller: Caller, scope: KeyScope): AppError
}

/** For programs that send the secret key of an organization. */
export function keyEntrance(guard: KeyGuard): Entrance {
  return {
    path: '/mcp/key',
    async authenticate(request, server) {
      const caller = await guard.authenticate(request, server)
      // A browser that is signed in isn't a program.
      if (caller.kind === 'agent') throw noValidKey()
      return caller
    },
  }
}

/**
 * The Model Context Protocol at a path: `POST` with one message. Its tools are those that the caller's scopes allow. They have
 * the permissions, limits and log of `/v1`.
 */
export function mcpRoutes(
  deps: Deps,
  guard: KeyGuard,
  { path, authenticate, lacksScope }: Entrance,
): AnyElysia {
  const { requireKnownHost } = createPublicAddress(deps.config)
  const load = async () => (await import('./handler.ts')).createHandler(deps, guard, lacksScope)
  let loaded: ReturnType<typeof load> | undefined
  return new Elysia({ name: `mcp ${path}` })
    .derive(async ({ request, server }) => {
      requireKnownHost(request)
      requireOwnPage(request, deps.config.publicUrl)
      return { caller: await authenticate(request, server) }
    })
    .post(
      path,
      async ({ caller, body, request, set }) => {
        if (Array.isArray(body))
          throw new AppError(400, 'batch_not_supported', 'Send one message per request.')
        loaded ??= load()
        const answer = await loaded
        return answer({ caller, body, request, set, requestId: String(set.headers['x-request-id']) })
      },
      {
        parse: arriveWithText,
        transform: [guard.allow(), strictQuery(), jsonBody],
        detail: { hide: true },
      },
    )
}

/** Throws 403 for a page of another website. */
function requireOwnPage({ headers }: Request, publicUrl: string | undefined): void {
  if (!headers.has('origin') || isOurOrigin(headers, publicUrl)) return
  throw new AppError(403, 'cross_origin', 'Pages of other websites can’t call this.')
}
