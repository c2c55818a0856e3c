import { sql } from 'drizzle-orm'
import { Elysia } from 'elysia'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'

/** For supervisors: `live` says that the process answers, `ready` that it reaches its data. */
export function healthRoutes(deps: Deps) {
  const detail = { hide: true }
  return new Elysia({ name: 'health', prefix: '/health' })
    .get('/live', () => ({ status: 'ok' }), { detail })
    .get(
      '/ready',
      async ({ status }) => {
        try {
          await deps.database.read.select({ one: sql`1` }).from(organizations).limit(1)
          return { status: 'ok' }
        } catch (error) {
          deps.log.error('not_ready', { error })
          return status(503, { status: 'The database does not answer.' })
        }
      },
      { detail },
    )
}
