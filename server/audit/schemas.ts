import { t } from 'elysia'
import { ACTOR_KINDS } from '../database/tables/audit.ts'
import { oneOf } from '../requests/choices.ts'

// What administrators see of the audit log: `views.ts` makes it.

export const auditQuery = t.Object(
  {
    action: t.Optional(t.String({ minLength: 1, maxLength: 64 })),
    cursor: t.Optional(t.String({ maxLength: 64 })),
    limit: t.Optional(t.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
)

export const auditList = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      at: t.String({ format: 'date-time' }),
      actor: t.Object({ kind: oneOf(ACTOR_KINDS), id: t.Optional(t.String()), name: t.String() }),
      action: t.String(),
      subject: t.Optional(t.Object({ id: t.Optional(t.String()), label: t.String() })),
      detail: t.Optional(t.Record(t.String(), t.Unknown())),
      address: t.Optional(t.String()),
    }),
  ),
  nextCursor: t.Optional(t.String()),
})
