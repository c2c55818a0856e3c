import { and, desc, eq, lt } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { type AuditAction, auditEntries } from '../database/tables/audit.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { isId } from '../ids.ts'

/** An action and its subject. Must not contain a secret. */
export interface AuditNote {
  action: AuditAction
  subject?: { id?: string; label: string }
  detail?: Record<string, unknown>
}

/** Adds an entry to the audit log, in the unit of the change, for `deps.actor`. */
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

const MAX_LISTED = 100
const DEFAULT_LISTED = 50

export type AuditEntry = typeof auditEntries.$inferSelect

interface AuditFilter {
  action?: AuditAction
  /** `nextCursor` of the previous page. */
  cursor?: string
  /** 50 by default, at most 100. */
  limit?: number
}

/** Newest first. Throws 400 for an invalid cursor. */
export async function listAudit(
  deps: Deps,
  orgId: string,
  { action, cursor, limit: requested = DEFAULT_LISTED }: AuditFilter,
): Promise<{ entries: AuditEntry[]; nextCursor: string | undefined }> {
  if (cursor !== undefined && !isId('aud', cursor)) {
    throw invalid([
      { parameter: 'cursor', code: 'invalid_cursor', detail: 'Use the nextCursor of the previous page.' },
    ])
  }
  const limit = Math.min(requested, MAX_LISTED)
  const found = await deps.database.read
    .select()
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.orgId, orgId),
        action === undefined ? undefined : eq(auditEntries.action, action),
        cursor === undefined ? undefined : lt(auditEntries.id, cursor),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(limit + 1)
  const entries = found.slice(0, limit)
  return { entries, nextCursor: found.length > limit ? entries.at(-1)?.id : undefined }
}
