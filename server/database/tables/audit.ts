import { index, integer, json, table, text } from '../columns.ts'

/** Who acted: an agent, a program through its key, another API key, a command on the server, or the server itself. */
export const ACTOR_KINDS = ['agent', 'program', 'key', 'command', 'system'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

/** A noun and a past verb. */
export type AuditAction =
  | 'agent.signed_in'
  | 'agent.sign_in_failed'
  | 'agent.invited'
  | 'agent.created'
  | 'agent.link_made'
  | 'agent.password_set'
  | 'agent.renamed'
  | 'agent.signature_changed'
  | 'agent.role_changed'
  | 'agent.picture_changed'
  | 'agent.disabled'
  | 'agent.enabled'
  | 'session.revoked'
  | 'session.others_revoked'
  | 'organization.created'
  | 'organization.changed'
  | 'api_key.created'
  | 'api_key.revoked'
  | 'program.connected'
  | 'program.disconnected'
  | 'endpoint.created'
  | 'endpoint.changed'
  | 'endpoint.enabled'
  | 'endpoint.disabled'
  | 'endpoint.deleted'
  | 'endpoint.failed_resent'
  | 'endpoint.replayed'
  | 'delivery.resent'
  | 'endpoint.secret_staged'
  | 'endpoint.secret_promoted'
  | 'endpoint.secret_cancelled'
  | 'endpoint.secret_rotated'
  | 'mailbox.created'
  | 'mailbox.changed'
  | 'mailbox.paused'
  | 'mailbox.resumed'
  | 'mailbox.made_default'
  | 'mailbox.removed'
  | 'mailbox.signed_in'
  | 'mailbox.sign_in_failed'
  | 'mailbox.refused'
  | 'mail.made_ticket'
  | 'mail.parsed_again'
  | 'widget.created'
  | 'widget.changed'
  | 'widget.paused'
  | 'widget.resumed'
  | 'widget.key_rotated'
  | 'widget.identity_secret_rotated'
  | 'widget.removed'
  | 'visitor.blocked'
  | 'visitor.unblocked'
  | 'address.blocked'
  | 'address.unblocked'
  | 'bot.created'
  | 'bot.changed'
  | 'bot.token_changed'
  | 'bot.checked'
  | 'bot.missed_dismissed'
  | 'bot.paused'
  | 'bot.resumed'
  | 'bot.refused'
  | 'bot.webhook_removed'
  | 'bot.removed'
  | 'oauth_client.saved'
  | 'oauth_client.removed'
  | 'saved_reply.created'
  | 'saved_reply.changed'
  | 'saved_reply.deleted'
  | 'tag.renamed'
  | 'tag.removed'
  | 'ticket.deleted'
  | 'customer.deleted'

/** Who changed which setting, when and from where. Written in the unit of the change. */
export const auditEntries = table(
  'audit_entries',
  {
    id: text().primaryKey(),
    orgId: text().notNull(),
    actorKind: text().$type<ActorKind>().notNull(),
    actorId: text(),
    actorName: text().notNull(),
    /** An `AuditAction`, or one of another version. */
    action: text().$type<AuditAction>().notNull(),
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
