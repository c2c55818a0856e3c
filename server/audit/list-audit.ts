import { and, desc, eq, lt } from 'drizzle-orm'
import { auditEntries } from '../database/tables/audit.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { isId } from '../ids.ts'

const MOST_LISTED = 100
const DEFAULT_LISTED = 50

export type AuditEntry = typeof auditEntries.$inferSelect

export interface AuditFilter {
  action?: string
  /** `nextCursor` of the page before. */
  cursor?: string
  /** 50 unless given, at most 100. */
  limit?: number
}

/** Newest first. Throws 400 for a cursor that is not ours. */
export async function listAudit(
  deps: Deps,
  orgId: string,
  { action, cursor, limit: wanted = DEFAULT_LISTED }: AuditFilter,
): Promise<{ entries: AuditEntry[]; nextCursor: string | undefined }> {
  if (cursor !== undefined && !isId('aud', cursor)) {
    throw invalid([
      { parameter: 'cursor', code: 'invalid_cursor', detail: 'Use nextCursor as it was given.' },
    ])
  }
  const limit = Math.min(wanted, MOST_LISTED)
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
