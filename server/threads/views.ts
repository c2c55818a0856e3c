import { isoTime } from '../dates.ts'
import type { TicketWithCustomer } from '../tickets/queries.ts'
import { viewListedTicket } from '../tickets/views.ts'
import type { CustomerPanel } from './customer-panel.ts'
import type { ActivityRow, DraftRow, MessageRow, NoteRow, Thread, WaitingReplyRow } from './thread.ts'

export function viewThread(thread: Thread) {
  return {
    ticket: viewInboxTicket(thread.ticket),
    timeline: timelineOf(thread),
    drafts: thread.drafts.map(viewDraft),
    waiting: thread.waiting.map(viewWaitingReply),
    readUpTo: thread.readUpTo ?? null,
  }
}

/** A ticket as the inbox shows it above its thread. */
export function viewInboxTicket(ticket: TicketWithCustomer) {
  const listed = viewListedTicket(ticket)
  const { isSpam, version } = ticket
  return { ...listed, customer: { ...listed.customer, userId: ticket.customer.id }, isSpam, version }
}

/** Strong validator of a thread as one agent sees it. */
export function threadEtag(view: ReturnType<typeof viewThread>): string {
  return `"${new Bun.CryptoHasher('sha1').update(JSON.stringify(view)).digest('base64url')}"`
}

export function viewNote(note: NoteRow) {
  const { id, text, agentId, agentName } = note
  return { kind: 'note' as const, id, text, agentId, agentName, createdAt: isoTime(note.createdAt) }
}

function viewWaitingReply(reply: WaitingReplyRow) {
  const { id, agentId, agentName, text, thenStatus, sendAt, isHeld, heldBecause } = reply
  return {
    id,
    ...(agentId === null ? {} : { agentId }),
    agentName,
    text,
    ...(thenStatus === null ? {} : { thenStatus }),
    sendAt: isoTime(sendAt),
    isHeld,
    ...(isHeld ? { heldBecause: heldBecause ?? ('answered' as const) } : {}),
  }
}

export function viewCustomerPanel({ email, createdAt, tickets, ...customer }: CustomerPanel) {
  return {
    ...customer,
    ...(email === null ? {} : { email }),
    createdAt: isoTime(createdAt),
    tickets: tickets.map((ticket) => ({ ...ticket, updatedAt: isoTime(ticket.updatedAt) })),
  }
}

/** Messages, notes and activities in time order; within a millisecond by the rest of their ids, which sort by time. */
function timelineOf({ messages, notes, activities }: Thread) {
  const entries = [...messages, ...notes, ...activities].sort(
    (one, other) => one.createdAt - other.createdAt || (one.id.slice(4) < other.id.slice(4) ? -1 : 1),
  )
  return entries.map((entry) =>
    'role' in entry ? viewMessage(entry) : 'changes' in entry ? viewActivity(entry) : viewNote(entry),
  )
}

function viewMessage(message: MessageRow) {
  const { id, role, text, agentId, agentName, sending, sendError } = message
  return {
    kind: 'message' as const,
    id,
    role,
    text,
    ...(agentId === null ? {} : { agentId }),
    ...(agentName === null ? {} : { agentName }),
    ...(sending === null ? {} : { sending }),
    ...(sendError === null ? {} : { sendError }),
    createdAt: isoTime(message.createdAt),
  }
}

function viewActivity({ id, actorKind, actorId, actorName, changes, createdAt }: ActivityRow) {
  const actor = { kind: actorKind, ...(actorId === null ? {} : { id: actorId }), name: actorName }
  return { kind: 'activity' as const, id, actor, changes, createdAt: isoTime(createdAt) }
}

function viewDraft({ kind, text, savedAt }: DraftRow) {
  return { kind, text, savedAt: isoTime(savedAt) }
}
