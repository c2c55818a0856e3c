import { and, lte, type SQL, sql } from 'drizzle-orm'
import { keepForDraft } from '../attachments/bindings.ts'
import { findUnsent } from '../attachments/queries.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { command, insertOf, integer, statement, text } from '../database/statement.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import { type DraftKind, drafts } from '../database/tables/threads.ts'
import type { Actions } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { lengthOf } from '../text/text.ts'
import { survivorOf } from '../tickets/merged.ts'
import { MAX_MESSAGE_LENGTH } from '../tickets/messages.ts'
import { requireTicket } from '../tickets/queries.ts'

type DraftKey = {
  orgId: string
  ticketId: string
  agentId: string
  kind: DraftKind
}

type Draft = DraftKey & {
  text: string
  /** Ids of uploads of the agent. */
  attachments: string[]
  /** Of a reply by email, if the agent changed them; null for those that the ticket suggests. */
  recipients?: Recipients | null
  /** Of a saved reply, done to the ticket when the reply is sent; null for nothing. */
  actions?: Actions | null
  /** When a reply is sent, if it is an edited one that was to be sent later (milliseconds since 1970); null for at once. */
  sendAt?: number | null
}

/**
 * Saves an agent's draft of one kind; blank text without attachments deletes it. `base` is the version that the text was written from, `null`
 * for none: a newer version from another device is not overwritten, unless this one contains all of it. Without `base`
 * the last one wins. Returns when it was saved. Throws 404, 409, and 400 for an attachment that can't be sent.
 */
export async function keepDraft(
  deps: Deps,
  { base, ...kept }: Draft & { base?: number | null },
): Promise<number> {
  const { orgId } = kept
  return deps.database.write(orgId, async (tx) => {
    await requireTicket(tx, orgId, kept.ticketId)
    // Of a page that doesn't know yet that the ticket was merged.
    const ticketId = await survivorOf(tx, orgId, kept.ticketId)
    const draft = { ...kept, ticketId }
    const [stored] = await findDraft(tx, draft)
    const isNewer = stored && base !== undefined && stored.savedAt > (base ?? 0)
    if (isNewer) {
      const containsIt = draft.text.includes(stored.text) && (await hasAllFiles(tx, draft, stored))
      if (!containsIt) throw draftChanged()
    }
    const files = {
      ids: draft.attachments,
      before: stored?.attachments ?? [],
      uploader: draft.agentId,
      ticketId,
    }
    await keepForDraft(deps, tx, orgId, files)
    // Each version has its own time, which identifies it.
    const savedAt = Math.max(deps.clock.now(), (stored?.savedAt ?? 0) + 1)
    const isEmpty = draft.text.trim() === '' && draft.attachments.length === 0
    if (isEmpty) await deleteDraft(tx, { ...draft, upTo: savedAt })
    else {
      const { recipients = null, actions = null, sendAt = null } = draft
      await saveDrafts(tx, [{ ...draft, recipients, actions, sendAt, savedAt }])
    }
    return savedAt
  })
}

async function hasAllFiles(tx: Transaction, draft: Draft, stored: StoredDraft): Promise<boolean> {
  const missing = stored.attachments.filter((id) => !draft.attachments.includes(id))
  // Uploads that were sent or deleted meanwhile are no longer part of the draft.
  const { orgId, agentId: uploader } = draft
  return (await findUnsent(tx, { orgId, uploader, ids: missing })).length === 0
}

/**
 * Deletes the draft of a message or note that is being stored. A draft with another text or more files, from another
 * device, is kept.
 */
export async function deleteSentDraft(tx: Transaction, draft: Draft): Promise<void> {
  const [stored] = await findDraft(tx, draft)
  if (stored?.text.trim() !== draft.text.trim()) return
  if (await hasAllFiles(tx, draft, stored)) await deleteDraft(tx, { ...draft, upTo: stored.savedAt })
}

/**
 * Puts the text and files of a taken-back reply before the agent's draft. If the draft is only the beginning of the
 * reply, it is dropped. Returns false and changes nothing if the draft would be too large to save.
 */
export async function returnToDraft(
  { clock, config }: Deps,
  tx: Transaction,
  reply: Omit<Draft, 'kind'>,
): Promise<boolean> {
  const draft = { ...reply, kind: 'reply' as const }
  const [current] = await findDraft(tx, draft)
  // The page may have saved it there already.
  const isThere = current?.text === draft.text || current?.text.startsWith(`${draft.text}\n`)
  // Or it has not yet deleted what was saved while the reply was being written.
  const isBeginning = draft.text.startsWith(current?.text.trimEnd() ?? '')
  const texts = isThere ? [current?.text] : [draft.text, isBeginning ? '' : current?.text]
  const text = texts.filter((one) => one?.trim()).join('\n\n')
  const attachments = [...new Set([...draft.attachments, ...(current?.attachments ?? [])])]
  if (lengthOf(text) > MAX_MESSAGE_LENGTH || attachments.length > config.attachmentsPerMessage) return false
  const savedAt = Math.max(clock.now(), (current?.savedAt ?? 0) + 1)
  const recipients = draft.recipients ?? current?.recipients ?? null
  const actions = draft.actions ?? current?.actions ?? null
  const sendAt = draft.sendAt ?? current?.sendAt ?? null
  await saveDrafts(tx, [{ ...draft, text, attachments, recipients, actions, sendAt, savedAt }])
  return true
}

function draftChanged(): AppError {
  const detail = 'This draft was changed on another device. Read it, then save what you want to keep.'
  return new AppError(409, 'draft_changed', detail)
}

type StoredDraft = Pick<
  typeof drafts.$inferSelect,
  'text' | 'attachments' | 'recipients' | 'actions' | 'sendAt' | 'savedAt'
>

function isTheDraft({ orgId, agentId, ticketId, kind }: Record<keyof DraftKey, SQL>) {
  return matches(drafts, { orgId, agentId, ticketId, kind })
}

const findDraft = statement(
  'drafts_find',
  { orgId: text, ticketId: text, agentId: text, kind: text },
  (tx: Transaction, p) =>
    tx
      .select({
        text: drafts.text,
        attachments: drafts.attachments,
        recipients: drafts.recipients,
        actions: drafts.actions,
        sendAt: drafts.sendAt,
        savedAt: drafts.savedAt,
      })
      .from(drafts)
      .where(isTheDraft(p)),
)

const deleteDraft = command(
  'drafts_delete',
  { orgId: text, ticketId: text, agentId: text, kind: text, upTo: integer },
  (tx, p) => tx.delete(drafts).where(and(isTheDraft(p), lte(drafts.savedAt, p.upTo))),
)

const saveDrafts = insertOf(drafts, {
  onConflict: {
    target: [drafts.orgId, drafts.agentId, drafts.ticketId, drafts.kind],
    set: {
      text: sql`excluded.text`,
      attachments: sql`excluded.attachments`,
      recipients: sql`excluded.recipients`,
      actions: sql`excluded.actions`,
      sendAt: sql`excluded.send_at`,
      savedAt: sql`excluded.saved_at`,
    },
  },
})
