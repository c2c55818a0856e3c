import { viewAttachments, viewInboxAttachments } from '../attachments/views.ts'
import type { EmailAddress, MessageEmail } from '../database/tables/messages.ts'
import type { FieldChange } from '../database/tables/threads.ts'
import { PLACES } from '../database/tables/tickets.ts'
import { isoTime } from '../dates.ts'
import type { SendTrouble } from '../messages/sends/queries.ts'
import { viewOpenSuggestion } from '../suggestions/views.ts'
import type { TicketWithCustomer } from '../tickets/queries.ts'
import { snoozeNoteOf } from '../tickets/snooze/snooze.ts'
import { viewListedTicket, viewSnoozeNote } from '../tickets/views.ts'
import { MAX_SHOWN_ADDRESSES } from './schemas.ts'
import type { ActivityRow, DraftRow, MessageRow, NoteRow, ThreadFrame, WaitingReplyRow } from './thread.ts'

/** All but `timeline` and `waiting`. */
export function viewFrame({
  ticket,
  drafts,
  readUpTo,
  followers,
  snooze,
  shownMetadata,
  mentions,
  reply,
  suggestions,
  seen,
}: ThreadFrame) {
  const note = snoozeNoteOf(ticket, snooze, ticket.lastMessageAt)
  return {
    ticket: viewInboxTicket(ticket),
    drafts: drafts.map(viewDraft),
    readUpTo: readUpTo ?? null,
    followers,
    ...(note && { snooze: viewSnoozeNote(note) }),
    ...(shownMetadata.length > 0 && { shownMetadata }),
    mentions: mentions.map(({ noteId, seenAt }) => ({ noteId, isSeen: seenAt !== null })),
    reply,
    ...(suggestions.length > 0 && { suggestions: suggestions.map(viewOpenSuggestion) }),
    ...(seen && { seen: { messageId: seen.messageId, at: isoTime(seen.at) } }),
  }
}

/** A ticket as the inbox shows it above its thread. */
export function viewInboxTicket(ticket: TicketWithCustomer) {
  const listed = viewListedTicket(ticket)
  const { place, version } = ticket
  const isSpam = place === PLACES.spam
  return { ...listed, customer: { ...listed.customer, userId: ticket.customer.id }, isSpam, version }
}

export function viewNote(note: NoteRow) {
  const { id, text, format, agentId, agentName } = note
  const written = { kind: 'note' as const, id, text, format, agentId, agentName }
  return { ...written, ...viewInboxAttachments(note.attachments), createdAt: isoTime(note.createdAt) }
}

/** As `/v1` shows it. */
export function viewV1Note({ id, text, format, agentId, agentName, attachments, createdAt }: NoteRow) {
  return {
    id,
    text,
    format,
    agentName,
    ...(agentId !== '' && { agentId }),
    attachments: viewAttachments(attachments),
    createdAt: isoTime(createdAt),
  }
}

/** As `/v1` shows it: nobody, and no time, are null. */
export function viewV1Activity({ id, actorKind, actorId, actorName, changes, createdAt }: ActivityRow) {
  const by = { kind: actorKind, ...(actorId !== null && { id: actorId }), name: actorName }
  const shown = ({ field }: FieldChange, value: FieldChange['from']) =>
    value === '' && (field === 'assignedTo' || field === 'snoozedUntil') ? null : value
  return {
    id,
    by,
    changes: changes.map((change) => ({
      field: change.field,
      from: shown(change, change.from),
      to: shown(change, change.to),
    })),
    createdAt: isoTime(createdAt),
  }
}

export function viewWaitingReply(reply: WaitingReplyRow) {
  const { id, agentId, agentName, text, format, actions, isLater, sendAt, isHeld, heldBecause } = reply
  return {
    id,
    ...(agentId === null ? {} : { agentId }),
    agentName,
    text,
    format,
    ...viewInboxAttachments(reply.attachments),
    ...(reply.recipients && { recipients: reply.recipients }),
    ...(actions && { actions }),
    ...(isLater && { isLater: true as const }),
    sendAt: isoTime(sendAt),
    isHeld,
    ...(isHeld ? { heldBecause: heldBecause ?? ('answered' as const) } : {}),
  }
}

export type EntryRow = MessageRow | NoteRow | ActivityRow

/** Within a millisecond, by the rest of their ids, which sort by time. */
export function inTimeOrder(one: EntryRow, other: EntryRow): number {
  return one.createdAt - other.createdAt || (one.id.slice(4) < other.id.slice(4) ? -1 : 1)
}

export function viewEntry(entry: EntryRow) {
  if ('role' in entry) return viewMessage(entry)
  return 'actorKind' in entry ? viewActivity(entry) : viewNote(entry)
}

function viewMessage(message: MessageRow) {
  const { id, role, text, format, agentId, agentName, sending, sendError } = message
  return {
    kind: 'message' as const,
    id,
    role,
    text,
    format,
    ...viewInboxAttachments(message.attachments),
    ...viewAuthor(message),
    ...viewMail(message),
    ...(agentId === null ? {} : { agentId }),
    ...(agentName === null ? {} : { agentName }),
    ...(sending === null ? {} : { sending }),
    ...(sendError === null ? {} : { sendError }),
    ...(message.chat && { chat: message.chat }),
    ...viewChanges(message),
    ...(message.trouble && viewTrouble(message.trouble)),
    createdAt: isoTime(message.createdAt),
  }
}

/** Who wrote it, unless it is the ticket's customer or an agent. */
function viewAuthor({ role, author, authorName, isAutomatic }: MessageRow) {
  return {
    ...(role === 'agent' || author === null || author === 'customer'
      ? {}
      : { author, authorName: authorName ?? '' }),
    ...(isAutomatic && { isAutomatic }),
  }
}

/** Nothing for a message that neither arrived nor left by email. */
function viewMail({ email, hasHtml, isHtmlFormatted, hasRemoteImages, hasQuote }: MessageRow) {
  return {
    ...(email && { email: viewEmail(email) }),
    ...(hasHtml && { html: isHtmlFormatted ? ('formatted' as const) : ('plain' as const) }),
    ...(hasRemoteImages && { hasRemoteImages }),
    ...(hasQuote && { hasQuote }),
  }
}

function viewEmail({ from, writer, replyTo, to, cc, bcc, subject, forwardOf, isUnverified }: MessageEmail) {
  const shownTo = to.slice(0, MAX_SHOWN_ADDRESSES)
  const shownCc = cc.slice(0, MAX_SHOWN_ADDRESSES - shownTo.length)
  const others = to.length + cc.length - shownTo.length - shownCc.length
  const isOther = ({ address }: EmailAddress) => address.toLowerCase() !== from.address.toLowerCase()
  return {
    from,
    ...(writer && { writer }),
    to: shownTo,
    ...(shownCc.length > 0 && { cc: shownCc }),
    ...(bcc && bcc.length > 0 && { bcc }),
    ...(others > 0 && { others }),
    ...(replyTo.some(isOther) && { replyTo: replyTo.slice(0, MAX_SHOWN_ADDRESSES) }),
    subject,
    ...(forwardOf !== undefined && { forwardOf }),
    ...(isUnverified && { isUnverified }),
  }
}

function viewTrouble({ missed, retryAt }: SendTrouble) {
  return {
    ...(missed.length === 0 ? {} : { missed }),
    ...(retryAt === null ? {} : { retryAt: isoTime(retryAt) }),
  }
}

/** Nothing for a message that was not changed, and can't be. */
function viewChanges({ editedAt, edits, takenBackAt, changes }: MessageRow) {
  return {
    ...(editedAt === null ? {} : { editedAt: isoTime(editedAt), edits: edits ?? 0 }),
    ...(takenBackAt === null ? {} : { takenBackAt: isoTime(takenBackAt) }),
    ...changes,
  }
}

function viewActivity({ id, actorKind, actorId, actorName, changes, createdAt }: ActivityRow) {
  const actor = { kind: actorKind, ...(actorId === null ? {} : { id: actorId }), name: actorName }
  return { kind: 'activity' as const, id, actor, changes, createdAt: isoTime(createdAt) }
}

function viewDraft({ kind, text, attachments, recipients, actions, sendAt, savedAt }: DraftRow) {
  const written = { kind, text, ...viewInboxAttachments(attachments) }
  const time = sendAt === null ? {} : { sendAt: isoTime(sendAt) }
  const chosen = { ...(recipients && { recipients }), ...(actions && { actions }), ...time }
  return { ...written, ...chosen, savedAt: isoTime(savedAt) }
}
