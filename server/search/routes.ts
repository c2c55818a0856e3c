import { Elysia, t } from 'elysia'
import { strictQuery } from '../requests/query.ts'
import { orNull } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { readIndexProgress } from './index/progress.ts'

const count = t.Integer({ minimum: 0 })
/** Null unless many tickets wait for the index. */
const progress = t.Object({ progress: orNull(t.Object({ indexed: count, total: count })) })

/** How far the index of the search is, for administrators. */
export function searchRoutes(guard: AgentGuard) {
  return new Elysia({ name: 'search/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/search-progress',
      async ({ me, as }) => ({ progress: (await readIndexProgress(as, me.orgId)) ?? null }),
      { transform: [guard.adminsOnly, strictQuery()], response: { 200: progress } },
    )
}
