import { notes } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from '../events/events.ts'
import { requireTicket } from '../tickets/queries.ts'
import type { AlsoSave } from '../tickets/tickets.ts'
import { finishDraft } from './drafts.ts'
import type { NoteRow } from './thread.ts'

interface NewNote {
  ticketId: string
  agentId: string
  agentName: string
  text: string
  /** The version of the draft that it was written from. */
  base?: number | null
}

/**
 * Writes a note that only agents see; the agent's draft of a note is done with. What `/v1` shows of the ticket stays
 * as it is, `updatedAt` too. Throws 404.
 */
export async function addNote(
  deps: Deps,
  orgId: string,
  { ticketId, base, ...written }: NewNote,
  alsoSave?: AlsoSave<NoteRow>,
): Promise<NoteRow> {
  return deps.database.write(async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    const createdAt = deps.clock.now()
    const note = { id: deps.newId('not'), ...written, createdAt }
    await tx.insert(notes).values({ ...note, orgId, ticketId })
    await finishDraft(tx, { orgId, ticketId, agentId: written.agentId, kind: 'note', base })
    await recordEvents(deps, tx, orgId, [{ type: 'note.added', ticketId, createdAt }])
    await alsoSave?.(tx, note)
    return note
  })
}
