import type { SentMessage } from '../composer/send-with-undo.ts'
import { patchRow } from '../list-cache.ts'
import {
  type Draft,
  knownTicket,
  type NoteEntry,
  patchTicket,
  readTicketAgain,
  type TicketDetail,
} from '../ticket-query.ts'
import { type DraftContent, isBlank, isSameContent } from './draft-content.ts'
import type { Sending } from './draft-storage.ts'

// What the page shows of a draft the server has answered to, until the ticket is read again.

/** Whether the thread has what is being sent. After Edit, the message with this id may still be the earlier version. */
export function isInThread({ timeline, waiting }: TicketDetail, sending: Sending): boolean {
  const sent = [...timeline, ...waiting].find(({ id }) => id === sending.id)
  if (!sent || !('text' in sent)) return false
  if (!sending.isChanged) return true
  const { text, attachments = [] } = sent
  const recipients = 'recipients' in sent ? sent.recipients : undefined
  const wanted = { ...sending, recipients: sending.sentTo, actions: undefined, sendAt: undefined }
  return isSameContent({ text, attachments, recipients }, wanted)
}

export function showSavedDraft(
  ticketId: string,
  draft: DraftContent & Pick<Draft, 'kind' | 'savedAt'>,
): void {
  const others = withoutDraft(knownTicket(ticketId)?.drafts ?? [], draft.kind)
  const drafts = isBlank(draft) ? others : [...others, draft]
  patchTicket(ticketId, (known) => ({ ...known, drafts }))
  patchRow(ticketId, (row) => ({ ...row, hasDraft: drafts.length > 0 }))
}

export function showNote(ticketId: string, note: NoteEntry): void {
  patchTicket(ticketId, (known) => ({
    ...known,
    drafts: withoutDraft(known.drafts, 'note'),
    timeline: [...known.timeline.filter(({ id }) => id !== note.id), note],
  }))
}

/** Shows a reply in the thread, or among those that wait for the end of their undo time. */
export function showReply(
  { ticketId, agentId }: { ticketId: string; agentId: string },
  sending: Sending,
  { agentName = '', delivery, createdAt }: SentMessage,
): void {
  const { id, text, attachments, sentTo, actions } = sending
  const sendAt = delivery?.sendAt
  const isHeld = delivery?.state === 'held'
  if (sendAt === undefined || isHeld) void readTicketAgain(ticketId)
  const files = attachments.length > 0 && { attachments }
  const message = { id, text, ...files, format: 'markdown' as const, agentId, agentName }
  patchTicket(ticketId, (known) => {
    const drafts = withoutDraft(known.drafts, 'reply')
    if (sendAt === undefined) {
      if (known.timeline.some((one) => one.id === id)) return { ...known, drafts }
      const state = delivery?.state === 'sent' ? ('sent' as const) : ('queued' as const)
      const entry = {
        kind: 'message' as const,
        role: 'agent' as const,
        ...message,
        sending: state,
        createdAt,
      }
      // What programs suggested was for the message that this answers.
      return { ...known, drafts, suggestions: [], timeline: [...known.timeline, entry] }
    }
    const reply = {
      ...message,
      ...(sentTo && { recipients: sentTo }),
      sendAt,
      isHeld,
      ...(actions && { actions }),
      ...(sending.sendAt !== undefined && { isLater: true as const }),
      ...(isHeld && { heldBecause: 'answered' as const }),
    }
    return { ...known, drafts, waiting: [...known.waiting.filter((one) => one.id !== id), reply] }
  })
}

function withoutDraft(drafts: Draft[], kind: Draft['kind']): Draft[] {
  return drafts.filter((one) => one.kind !== kind)
}
