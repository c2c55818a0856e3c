import { and, eq, lte, type Placeholder, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { command, insertOf, statement } from '../database/statement.ts'
import { type DraftKind, drafts } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { lengthOf } from '../requests/text.ts'
import { MOST_MESSAGE_LENGTH } from '../tickets/messages.ts'
import { requireTicket } from '../tickets/queries.ts'

type Draft = {
  orgId: string
  ticketId: string
  agentId: string
  kind: DraftKind
  text: string
}

/**
 * Saves an agent's draft of one kind; blank text deletes it. `base` is the version that the text was written from, `null`
 * for none: a newer version from another device is not overwritten, unless this text contains all of it. Without `base`
 * the last one wins. Returns when it was saved. Throws 404, 409.
 */
export async function keepDraft(
  deps: Deps,
  { base, ...draft }: Draft & { base?: number | null },
): Promise<number> {
  const { orgId, ticketId } = draft
  return deps.database.write(async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    const [stored] = await findDraft(tx, draft)
    if (stored && base !== undefined && stored.savedAt > (base ?? 0) && !draft.text.includes(stored.text)) {
      throw draftChanged()
    }
    // Each version has its own time, which identifies it.
    const savedAt = Math.max(deps.clock.now(), (stored?.savedAt ?? 0) + 1)
    if (draft.text.trim() === '') await deleteDraft(tx, { ...draft, upTo: savedAt })
    else await saveDrafts(tx, [{ ...draft, savedAt }])
    return savedAt
  })
}

/** Deletes the draft of what is sent or added now. A draft with another text, from another device, is kept. */
export async function deleteSentDraft(tx: Transaction, draft: Draft): Promise<void> {
  const [stored] = await findDraft(tx, draft)
  if (stored?.text.trim() === draft.text.trim()) await deleteDraft(tx, { ...draft, upTo: stored.savedAt })
}

/**
 * Puts the text of a reply that was taken back before the agent's draft. Returns false and changes nothing if the draft
 * would be too long to save.
 */
export async function returnToDraft(
  tx: Transaction,
  { savedAt, ...reply }: Omit<Draft, 'kind'> & { savedAt: number },
): Promise<boolean> {
  const draft = { ...reply, kind: 'reply' as const }
  const [current] = await findDraft(tx, draft)
  // The page may have saved it there already.
  const isThere = current?.text === draft.text || current?.text.startsWith(`${draft.text}\n`)
  const text = current ? (isThere ? current.text : `${draft.text}\n\n${current.text}`) : draft.text
  if (lengthOf(text) > MOST_MESSAGE_LENGTH) return false
  const version = Math.max(savedAt, (current?.savedAt ?? 0) + 1)
  await saveDrafts(tx, [{ ...draft, text, savedAt: version }])
  return true
}

function draftChanged(): AppError {
  const detail = 'This draft was changed on another device. Read it, then save what you want to keep.'
  return new AppError(409, 'draft_changed', detail)
}

/** The key of a draft, as parameters of a statement. */
type DraftKey = Record<'orgId' | 'agentId' | 'ticketId' | 'kind', Placeholder>

function isTheDraft({ orgId, agentId, ticketId, kind }: DraftKey) {
  return and(
    eq(drafts.orgId, orgId),
    eq(drafts.agentId, agentId),
    eq(drafts.ticketId, ticketId),
    eq(drafts.kind, kind),
  )
}

const findDraft = statement<Omit<Draft, 'text'>, { text: string; savedAt: number }[], Transaction>(
  'drafts_find',
  (tx, p) => tx.select({ text: drafts.text, savedAt: drafts.savedAt }).from(drafts).where(isTheDraft(p)),
)

const deleteDraft = command<Omit<Draft, 'text'> & { upTo: number }>('drafts_delete', (tx, p) =>
  tx.delete(drafts).where(and(isTheDraft(p), lte(drafts.savedAt, p.upTo))),
)

const saveDrafts = insertOf(drafts, {
  onConflict: {
    target: [drafts.orgId, drafts.agentId, drafts.ticketId, drafts.kind],
    set: { text: sql`excluded.text`, savedAt: sql`excluded.saved_at` },
  },
})
