import { index, integer, json, table, text } from '../columns.ts'

/** Who acted: an agent, an API key, a command on the server, or the server itself. */
export const ACTOR_KINDS = ['agent', 'key', 'command', 'system'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

/** Who changed which setting, when and from where. Written in the unit of the change. */
export const auditEntries = table(
  'audit_entries',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    actorKind: text().$type<ActorKind>().notNull(),
    actorId: text(),
    actorName: text().notNull(),
    /** A noun and a participle: `agent.invited`, `api_key.revoked`. */
    action: text().notNull(),
    subjectId: text(),
    subjectLabel: text(),
    detail: json().$type<Record<string, unknown>>(),
    address: text(),
    createdAt: integer().notNull(),
  },
  (row) => [
    index('audit_entries_by_organization').on(row.orgId, row.id),
    index('audit_entries_by_action').on(row.orgId, row.action, row.id),
  ],
)
