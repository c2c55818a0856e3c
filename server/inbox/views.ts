import { isoTime } from '../dates.ts'
import type { SavedView } from '../saved-views/saved-views.ts'
import { oneLine } from '../search/excerpt.ts'
import { viewListedTicket } from '../tickets/views.ts'
import type { InboxRow } from './list-inbox.ts'

const PREVIEW_LENGTH = 160

/** A row of the list: the ticket as `/v1` lists it, with what an agent wants to know before opening it. */
export function viewRow(row: InboxRow) {
  const { excerpt } = row
  return {
    ...viewListedTicket(row),
    preview: { text: oneLine(row.newest?.text ?? '', PREVIEW_LENGTH), role: row.newest?.role ?? 'customer' },
    lastMessageAt: isoTime(row.newest?.createdAt ?? row.createdAt),
    isUnread: row.isUnread,
    hasDraft: row.hasDraft,
    hasFailedSend: row.hasFailedSend,
    hasHeldReply: row.hasHeldReply,
    isSpam: row.isSpam,
    version: row.version,
    ...(excerpt === undefined ? {} : { excerpt }),
  }
}

export function viewSavedView(view: SavedView, me: string) {
  return {
    id: view.id,
    name: view.name,
    query: view.query,
    isShared: view.isShared,
    isMine: view.agentId === me,
  }
}
