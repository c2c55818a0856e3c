import { eq } from 'drizzle-orm'
import { attach, type ReceivedFile } from '../attachments/bindings.ts'
import { findAttachmentsOf } from '../attachments/queries.ts'
import type { AlsoSave, Transaction } from '../database/database.ts'
import type { MessageFormat } from '../database/tables/messages.ts'
import { notes } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { requireFreshId } from '../requests/client-id.ts'
import { requireNotMerged } from '../tickets/merged.ts'
import { requireTextOrFiles } from '../tickets/messages.ts'
import { requireTicket } from '../tickets/queries.ts'
import { deleteSentDraft } from './drafts.ts'
import { saveMentions } from './mentions.ts'
import type { NoteRow } from './thread.ts'

interface NewNote {
  /** Made by the page. */
  id: string
  ticketId: string
  /** Empty for a key that belongs to no one. */
  agentId: string
  /** Whose uploads the attachments are: the agent by default. */
  uploader?: string
  agentName: string
  text: string
  format: MessageFormat
  /** Ids of uploads. */
  attachments?: string[]
}

/**
 * Adds a note under an id that the page made; only agents see it. The same request again changes nothing. The agent's
 * draft of a note that has the same text is deleted. `updatedAt` and everything `/v1` shows of the ticket stay as they
 * are. `alsoSave` runs in the unit that adds it. Throws 404, 400 for a wrong id, attachment or mention, and 409 for a merged ticket or an id that belongs to
 * another note.
 */
export async function putNote(
  deps: Deps,
  orgId: string,
  { ticketId, attachments: ids = [], uploader, ...note }: NewNote,
  alsoSave?: AlsoSave<NoteRow>,
): Promise<{ note: NoteRow; isNew: boolean }> {
  requireTextOrFiles({ text: note.text, attachments: ids })
  return deps.database.write(orgId, async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    const known = isId('not', note.id) ? await findNote(tx, note.id) : undefined
    if (known) {
      const { text, format, agentId } = note
      const isSameText = known.text === text && known.format === format
      const isSame = isSameText && known.ticketId === ticketId && known.agentId === agentId
      const attachments = await findAttachmentsOf(tx, { orgId, ownerId: known.id })
      const isSameFiles = ids.join() === attachments.map(({ id }) => id).join()
      if (known.orgId !== orgId || !isSame || !isSameFiles) throw idTaken()
      return { note: { ...known, attachments }, isNew: false }
    }
    requireNotMerged(ticket)
    const createdAt = deps.clock.now()
    requireFreshId('not', note.id, { now: createdAt, parameter: 'noteId' })
    const added = { ...note, orgId, ticketId, attachmentCount: ids.length, createdAt }
    const stored = await tx.insert(notes).values(added).onConflictDoNothing().returning({ id: notes.id })
    if (stored.length === 0) throw idTaken()
    await saveMentions(tx, added)
    const { agentId, text } = note
    const uploads = { ids, uploader: uploader ?? agentId }
    const attachments = await attach(deps, tx, orgId, { ownerId: note.id, ticketId, files: { uploads } })
    await deleteSentDraft(tx, { orgId, ticketId, agentId, kind: 'note', text, attachments: ids })
    recordEvents(deps, tx, orgId, [{ type: 'note.added', ticketId, messageId: note.id, createdAt }])
    const made = { ...added, attachments }
    await alsoSave?.(tx, made)
    return { note: made, isNew: true }
  })
}

/** Adds a note that an agent wrote elsewhere, in plain text. The unit has locked the ticket. Returns its id. */
export async function addNote(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  {
    files,
    ...written
  }: Pick<NewNote, 'ticketId' | 'agentId' | 'agentName' | 'text'> & { files: ReceivedFile[] },
): Promise<string> {
  const id = deps.newId('not')
  const createdAt = deps.clock.now()
  const added = { ...written, id, orgId, format: 'plain' as const, attachmentCount: files.length, createdAt }
  await tx.insert(notes).values(added)
  await saveMentions(tx, added)
  const { ticketId, agentId } = written
  await attach(deps, tx, orgId, { ownerId: id, ticketId, files: { received: files } })
  recordEvents(deps, tx, orgId, [{ type: 'note.added', ticketId, messageId: id, byId: agentId, createdAt }])
  return id
}

/** Of any organization: an id is used once. */
async function findNote(tx: Transaction, id: string): Promise<typeof notes.$inferSelect | undefined> {
  const [note] = await tx.select().from(notes).where(eq(notes.id, id))
  return note
}

function idTaken(): AppError {
  const detail = 'This id belongs to another note. Make a new id for each note.'
  return new AppError(409, 'note_id_taken', detail)
}
