import { Elysia, t } from 'elysia'
import { ACTOR_KINDS, type AuditAction } from '../database/tables/audit.ts'
import { isoTime } from '../dates.ts'
import { strictQuery } from '../requests/query.ts'
import { oneOf } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { type AuditEntry, listAudit } from './audit.ts'

const auditQuery = t.Object(
  {
    action: t.Optional(t.Unsafe<AuditAction>(t.String({ minLength: 1, maxLength: 64 }))),
    cursor: t.Optional(t.String({ maxLength: 64 })),
    limit: t.Optional(t.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
)

const auditList = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      at: t.String({ format: 'date-time' }),
      actor: t.Object({ kind: oneOf(ACTOR_KINDS), id: t.Optional(t.String()), name: t.String() }),
      action: t.Unsafe<AuditAction>(t.String()),
      subject: t.Optional(t.Object({ id: t.Optional(t.String()), label: t.String() })),
      detail: t.Optional(t.Record(t.String(), t.Unknown())),
      address: t.Optional(t.String()),
    }),
  ),
  nextCursor: t.Optional(t.String()),
})

/** The audit log, for administrators. */
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

function viewAuditEntry(entry: AuditEntry) {
  const { id, createdAt, actorKind, actorId, actorName, action, subjectId, subjectLabel, detail, address } =
    entry
  return {
    id,
    at: isoTime(createdAt),
    actor: { kind: actorKind, ...(actorId === null ? {} : { id: actorId }), name: actorName },
    action,
    ...(subjectLabel === null
      ? {}
      : { subject: { ...(subjectId === null ? {} : { id: subjectId }), label: subjectLabel } }),
    ...(detail === null ? {} : { detail }),
    ...(address === null ? {} : { address }),
  }
}
