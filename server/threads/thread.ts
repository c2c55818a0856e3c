import { and, asc, eq } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement, textParameter } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { activities, drafts, notes, readMarks } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import type { TicketWithCustomer } from '../tickets/queries.ts'
import { readTicketRow } from '../tickets/tickets.ts'

type Of<Table extends { $inferSelect: object }, Column extends keyof Table['$inferSelect']> = Pick<
  Table['$inferSelect'],
  Column
>

export type MessageRow = Of<
  typeof messages,
  'id' | 'role' | 'text' | 'agentId' | 'agentName' | 'sending' | 'sendError' | 'createdAt'
>
export type NoteRow = Of<typeof notes, 'id' | 'agentId' | 'agentName' | 'text' | 'createdAt'>
export type ActivityRow = Of<
  typeof activities,
  'id' | 'actorKind' | 'actorId' | 'actorName' | 'changes' | 'createdAt'
>
export type WaitingReplyRow = Of<
  typeof scheduledMessages,
  'id' | 'agentId' | 'agentName' | 'text' | 'thenStatus' | 'sendAt' | 'isHeld' | 'heldBecause'
>
export type DraftRow = Of<typeof drafts, 'kind' | 'text' | 'savedAt'>

export interface Thread {
  ticket: TicketWithCustomer
  messages: MessageRow[]
  notes: NoteRow[]
  activities: ActivityRow[]
  waiting: WaitingReplyRow[]
  /** The agent's own, at most one of each kind. */
  drafts: DraftRow[]
  readUpTo: string | undefined
}

/**
 * Everything an agent sees of a ticket, each part in time order. The row is read first, so the other parts are never older
 * than its version. Throws 404.
 */
export async function readThread(
  deps: Deps,
  orgId: string,
  { ticketId, agentId }: { ticketId: string; agentId: string },
): Promise<Thread> {
  const { read } = deps.database
  const ticket = await readTicketRow(read, orgId, ticketId)
  const given = { orgId, ticketId }
  const [mark] = await findMark(read, { ...given, agentId })
  return {
    ticket,
    messages: await findMessages(read, given),
    notes: await findNotes(read, given),
    activities: await findActivities(read, given),
    waiting: await findWaiting(read, given),
    drafts: await findDrafts(read, { ...given, agentId }),
    readUpTo: mark?.messageId,
  }
}

type OfTicket = { orgId: string; ticketId: string }
type OfAgent = OfTicket & { agentId: string }

const findMessages = statement<OfTicket, MessageRow[], Reader>('thread_messages', (read, p) =>
  read
    .select({
      id: messages.id,
      role: messages.role,
      text: messages.text,
      agentId: messages.agentId,
      agentName: messages.agentName,
      sending: messages.sending,
      sendError: messages.sendError,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(and(eq(messages.orgId, textParameter(p.orgId)), eq(messages.ticketId, textParameter(p.ticketId))))
    .orderBy(asc(messages.createdAt), asc(messages.id)),
)

const findNotes = statement<OfTicket, NoteRow[], Reader>('thread_notes', (read, p) =>
  read
    .select({
      id: notes.id,
      agentId: notes.agentId,
      agentName: notes.agentName,
      text: notes.text,
      createdAt: notes.createdAt,
    })
    .from(notes)
    .where(and(eq(notes.orgId, textParameter(p.orgId)), eq(notes.ticketId, textParameter(p.ticketId))))
    .orderBy(asc(notes.createdAt), asc(notes.id)),
)

const findActivities = statement<OfTicket, ActivityRow[], Reader>('thread_activities', (read, p) =>
  read
    .select({
      id: activities.id,
      actorKind: activities.actorKind,
      actorId: activities.actorId,
      actorName: activities.actorName,
      changes: activities.changes,
      createdAt: activities.createdAt,
    })
    .from(activities)
    .where(
      and(eq(activities.orgId, textParameter(p.orgId)), eq(activities.ticketId, textParameter(p.ticketId))),
    )
    .orderBy(asc(activities.createdAt), asc(activities.id)),
)

const findWaiting = statement<OfTicket, WaitingReplyRow[], Reader>('thread_waiting', (read, p) =>
  read
    .select({
      id: scheduledMessages.id,
      agentId: scheduledMessages.agentId,
      agentName: scheduledMessages.agentName,
      text: scheduledMessages.text,
      thenStatus: scheduledMessages.thenStatus,
      sendAt: scheduledMessages.sendAt,
      isHeld: scheduledMessages.isHeld,
      heldBecause: scheduledMessages.heldBecause,
    })
    .from(scheduledMessages)
    .where(
      and(
        eq(scheduledMessages.orgId, textParameter(p.orgId)),
        eq(scheduledMessages.ticketId, textParameter(p.ticketId)),
      ),
    )
    .orderBy(asc(scheduledMessages.createdAt), asc(scheduledMessages.id)),
)

const findDrafts = statement<OfAgent, DraftRow[], Reader>('thread_drafts', (read, p) =>
  read
    .select({ kind: drafts.kind, text: drafts.text, savedAt: drafts.savedAt })
    .from(drafts)
    .where(and(eq(drafts.orgId, p.orgId), eq(drafts.agentId, p.agentId), eq(drafts.ticketId, p.ticketId)))
    .orderBy(asc(drafts.kind)),
)

const findMark = statement<OfAgent, { messageId: string }[], Reader>('thread_mark', (read, p) =>
  read
    .select({ messageId: readMarks.messageId })
    .from(readMarks)
    .where(
      and(eq(readMarks.orgId, p.orgId), eq(readMarks.agentId, p.agentId), eq(readMarks.ticketId, p.ticketId)),
    ),
)
