import type { Transaction } from '../database/database.ts'
import { auditEntries } from '../database/tables/audit.ts'
import type { Deps } from '../deps.ts'

/** What was done to what. Never holds a secret. */
export interface AuditNote {
  /** A noun and what happened to it: `agent.invited`. */
  action: string
  subject?: { id?: string; label: string }
  detail?: Record<string, unknown>
}

/** Writes one line of the audit log, in the unit of the change and in the name of `deps.actor`. */
export async function recordAudit(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { action, subject, detail }: AuditNote,
): Promise<void> {
  const { actor } = deps
  await tx.insert(auditEntries).values({
    id: deps.newId('aud'),
    orgId,
    actorKind: actor.kind,
    actorId: actor.id ?? null,
    actorName: actor.name,
    action,
    subjectId: subject?.id ?? null,
    subjectLabel: subject?.label ?? null,
    detail: detail ?? null,
    address: actor.address ?? null,
    createdAt: deps.clock.now(),
  })
}
