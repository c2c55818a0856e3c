import { isoTime } from '../dates.ts'
import type { AuditEntry } from './list-audit.ts'

export function viewAuditEntry(entry: AuditEntry) {
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
