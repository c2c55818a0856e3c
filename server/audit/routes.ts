import { Elysia } from 'elysia'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { listAudit } from './list-audit.ts'
import { auditList, auditQuery } from './schemas.ts'
import { viewAuditEntry } from './views.ts'

/** Who did what, when and from where, for administrators. */
export function auditRoutes(guard: AgentGuard) {
  return new Elysia({ name: 'audit/console', prefix: '/console' }).use(guard.requireAgent).get(
    '/audit',
    async ({ me, as, query }) => {
      const { entries, nextCursor } = await listAudit(as, me.orgId, query)
      return { data: entries.map(viewAuditEntry), ...(nextCursor === undefined ? {} : { nextCursor }) }
    },
    {
      transform: [guard.adminsOnly, strictQuery(auditQuery)],
      query: auditQuery,
      response: { 200: auditList },
    },
  )
}
