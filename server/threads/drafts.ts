import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { type DraftKind, drafts } from '../database/schema.ts'
import { command } from '../database/statement.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { lockTicket } from '../tickets/rows.ts'

/** As long as a message may be. */
export const MOST_DRAFT_LENGTH = 65_536

export type Draft = {
  orgId: string
  ticketId: string
  agentId: string
  kind: DraftKind
  text: string
}

/** Keeps what an agent has begun to write, beside what they have begun of the other kind; blank text forgets it. Answers when. Throws 404. */
export async function keepDraft(deps: Deps, draft: Draft): Promise<number> {
  const { orgId, ticketId } = draft
  if (!isId('tkt', ticketId)) throw notFound('ticket')
  return deps.database.write(async (tx) => {
    const [ticket] = await lockTicket(tx, { orgId, id: ticketId })
    if (!ticket) throw notFound('ticket')
    const savedAt = deps.clock.now()
    if (draft.text.trim() === '') await deleteDraft(tx, draft)
    else await saveDraft(tx, { ...draft, savedAt })
    return savedAt
  })
}

/**
 * Puts a reply that was taken back where its agent will find it, before what they have begun meanwhile. Answers the
 * whole; nothing, and changes nothing, when it would be too long to be saved again.
 */
export async function returnToDraft(
  tx: Transaction,
  { savedAt, ...reply }: Omit<Draft, 'kind'> & { savedAt: number },
): Promise<string | undefined> {
  const draft = { ...reply, kind: 'reply' as const }
  const [begun] = await tx
    .select({ text: drafts.text })
    .from(drafts)
    .where(
      and(
        eq(drafts.orgId, draft.orgId),
        eq(drafts.agentId, draft.agentId),
        eq(drafts.ticketId, draft.ticketId),
        eq(drafts.kind, draft.kind),
      ),
    )
  const text = begun ? `${draft.text}\n\n${begun.text}` : draft.text
  if (text.length > MOST_DRAFT_LENGTH) return undefined
  await saveDraft(tx, { ...draft, text, savedAt })
  return text
}

export const deleteDraft = command<Omit<Draft, 'text'>>('drafts_delete', (tx, p) =>
  tx
    .delete(drafts)
    .where(
      and(
        eq(drafts.orgId, p.orgId),
        eq(drafts.agentId, p.agentId),
        eq(drafts.ticketId, p.ticketId),
        eq(drafts.kind, p.kind),
      ),
    ),
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
      target: [drafts.orgId, drafts.agentId, drafts.ticketId, drafts.kind],
      set: { text: sql`excluded.text`, savedAt: sql`excluded.saved_at` },
    }),
)
