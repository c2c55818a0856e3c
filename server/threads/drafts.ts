import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { type DraftKind, drafts } from '../database/schema.ts'
import { command } from '../database/statement.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { lockTicket } from '../tickets/rows.ts'

export type Draft = {
  orgId: string
  ticketId: string
  agentId: string
  kind: DraftKind
  text: string
}

/** Keeps what an agent has begun to write; blank text forgets it. Answers when. Throws 404. */
export async function keepDraft(deps: Deps, draft: Draft): Promise<number> {
  const { orgId, ticketId } = draft
  if (!isId('tkt', ticketId)) throw notFound('ticket')
  return deps.database.write(async (tx) => {
    const [ticket] = await lockTicket(tx, { orgId, id: ticketId })
    if (!ticket) throw notFound('ticket')
    const savedAt = deps.clock.now()
    if (draft.text.trim() === '') await deleteAnyDraft(tx, draft)
    else await saveDraft(tx, { ...draft, savedAt })
    return savedAt
  })
}

/**
 * Puts a reply that was taken back where its agent will find it. What they have begun meanwhile stays behind it; with
 * a note the whole stays a note, so that nothing internal can go to a customer.
 */
export async function returnToDraft(
  tx: Transaction,
  { savedAt, ...reply }: Draft & { savedAt: number },
): Promise<{ kind: DraftKind; text: string }> {
  const [begun] = await tx.select({ kind: drafts.kind, text: drafts.text }).from(drafts).where(placeOf(reply))
  const kind = begun?.kind ?? reply.kind
  const text = begun ? `${reply.text}\n\n${begun.text}` : reply.text
  await saveDraft(tx, { ...reply, kind, text, savedAt })
  return { kind, text }
}

/** Forgets a draft that was for that. */
export async function deleteDraft(tx: Transaction, draft: Omit<Draft, 'text'>): Promise<void> {
  await tx.delete(drafts).where(and(placeOf(draft), eq(drafts.kind, draft.kind)))
}

function placeOf({ orgId, ticketId, agentId }: Pick<Draft, 'orgId' | 'ticketId' | 'agentId'>) {
  return and(eq(drafts.orgId, orgId), eq(drafts.agentId, agentId), eq(drafts.ticketId, ticketId))
}

const deleteAnyDraft = command<Draft>('drafts_delete', (tx, p) =>
  tx
    .delete(drafts)
    .where(and(eq(drafts.orgId, p.orgId), eq(drafts.agentId, p.agentId), eq(drafts.ticketId, p.ticketId))),
)

const saveDraft = command<Draft & { savedAt: number }>('drafts_save', (tx, p) =>
  tx
    .insert(drafts)
    .values({
      orgId: p.orgId,
      agentId: p.agentId,
      ticketId: p.ticketId,
      kind: p.kind,
      text: p.text,
      savedAt: p.savedAt,
    })
    .onConflictDoUpdate({
      target: [drafts.orgId, drafts.agentId, drafts.ticketId],
      set: { kind: sql`excluded.kind`, text: sql`excluded.text`, savedAt: sql`excluded.saved_at` },
    }),
)
