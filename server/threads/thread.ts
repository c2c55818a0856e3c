import { asc, getTableColumns } from 'drizzle-orm'
import { type Attachment, findAttachmentsOfTicket, findUnsent } from '../attachments/queries.ts'
import type { ChangeableMessage, PossibleChanges, ReplyDestination, ReplyWay } from '../channels/channel.ts'
import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { activities, drafts, notes, readMarks } from '../database/tables/threads.ts'
import { widgetConversations } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { readDestination } from '../messages/sends/plan-sends.ts'
import { readTroubles, type SendTrouble } from '../messages/sends/queries.ts'
import { START } from '../responses/row-slices.ts'
import { countEdits } from '../tickets/message-edits.ts'
import type { TicketWithCustomer } from '../tickets/queries.ts'
import { inOrder, isAfter, type OfTicket, ofTicket, sliceOfTicket } from '../tickets/rows-of-ticket.ts'
import { readTicketRow } from '../tickets/tickets.ts'

type RowOf<Find extends (...given: never[]) => Promise<unknown[]>> = Awaited<ReturnType<Find>>[number]
type WithFiles<Row> = Row & { attachments: Attachment[] }

export type MessageRow = WithFiles<RowOf<typeof findMessages>> & {
  trouble?: SendTrouble | undefined
  /** Texts before the one it has now. */
  edits?: number | undefined
  /** Of a message that a chat shows. */
  changes?: PossibleChanges | undefined
}
export type NoteRow = WithFiles<RowOf<typeof findNotes>>
export type ActivityRow = RowOf<typeof findActivities>
export type WaitingReplyRow = WithFiles<RowOf<typeof findWaiting>>
export type DraftRow = WithFiles<Pick<RowOf<typeof findDrafts>, 'kind' | 'text' | 'recipients' | 'savedAt'>>

export interface Thread {
  ticket: TicketWithCustomer
  messages: MessageRow[]
  notes: NoteRow[]
  activities: ActivityRow[]
  waiting: WaitingReplyRow[]
  /** The agent's own, at most one of each kind. */
  drafts: DraftRow[]
  readUpTo: string | undefined
  /** Where a reply goes. */
  reply: ReplyDestination
  /** The newest answer that the visitor of a widget has seen. */
  seen?: { messageId: string; at: number } | undefined
}

/** All but the messages, notes, and changes of a thread, and the replies that wait. */
export type ThreadFrame = Omit<Thread, 'messages' | 'notes' | 'activities' | 'waiting'>

/** Throws 404. The ticket's row is read first, so the other parts of a thread are never older than its version. */
export async function readFrame(
  deps: Deps,
  orgId: string,
  { ticketId, agentId }: { ticketId: string; agentId: string },
): Promise<ThreadFrame> {
  const { read } = deps.database
  const ticket = await readTicketRow(read, orgId, ticketId)
  const given = { orgId, ticketId }
  const [mark] = await findMark(read, { ...given, agentId })
  const reply = await readDestination(deps, read, ticket, ticket.customer)
  const draftRows = await findDrafts(read, { ...given, agentId })
  const inDrafts = draftRows.flatMap(({ attachments }) => attachments)
  const unsent = await findUnsent(read, { orgId, uploader: agentId, ids: inDrafts })
  return {
    ticket,
    drafts: draftRows.map((draft) => ({
      ...draft,
      attachments: unsent.filter(({ id }) => draft.attachments.includes(id)),
    })),
    readUpTo: mark?.messageId,
    reply,
    seen: ticket.channel === 'widget' ? await readSeen(read, given) : undefined,
  }
}

/** Everything an agent sees of a ticket, each part in time order. */
export async function readThread(deps: Deps, frame: ThreadFrame): Promise<Thread> {
  const { read } = deps.database
  const { orgId, id: ticketId } = frame.ticket
  const given = { orgId, ticketId }
  const all = { ...given, ...ALL }
  const [messageRows, noteRows] = [await findMessages(read, all), await findNotes(read, all)]
  const waitingRows = await findWaiting(read, all)
  const withFiles = [...messageRows, ...noteRows, ...waitingRows].some(hasFiles)
  const files = withFiles ? await findAttachmentsOfTicket(read, given) : NO_FILES
  const addFiles = <Row extends { id: string }>(row: Row) => ({
    ...row,
    attachments: files.get(row.id) ?? [],
  })
  return {
    ...frame,
    messages: await addState(deps, frame, messageRows.map(addFiles)),
    notes: noteRows.map(addFiles),
    activities: await findActivities(read, all),
    waiting: waitingRows.map(addFiles),
  }
}

type WithState<Row> = Row & Pick<MessageRow, 'trouble' | 'edits' | 'changes'>

/** Why messages didn't reach everyone, how often they were edited, and whether they can still be changed. */
export async function addState<Row extends Omit<MessageRow, 'trouble' | 'edits' | 'changes'>>(
  deps: Deps,
  { ticket, reply }: Pick<ThreadFrame, 'ticket' | 'reply'>,
  rows: Row[],
): Promise<WithState<Row>[]> {
  const { read } = deps.database
  const { orgId, id: ticketId } = ticket
  const failed = rows.filter(({ sendError }) => sendError !== null).map(({ id }) => id)
  const troubles =
    failed.length > 0 ? await readTroubles(deps, read, { orgId, messageIds: failed }) : NO_TROUBLES
  const edited = rows.filter(({ editedAt }) => editedAt !== null).map(({ id }) => id)
  const edits = edited.length > 0 ? await countEdits(read, { orgId, messageIds: edited }) : undefined
  const shown = rows.filter(({ takenBackAt }) => takenBackAt === null)
  const changes = await readChanges(deps, { orgId, ticketId, messages: shown }, [reply.by, ticket.channel])
  return rows.map((row) => ({
    ...row,
    trouble: troubles.get(row.id),
    edits: edits?.get(row.id),
    changes: changes.get(row.id),
  }))
}

/** What can be done with messages that left, as the first of these channels that knows a message says. */
async function readChanges(
  deps: Deps,
  of: { orgId: string; ticketId: string; messages: ChangeableMessage[] },
  ways: ReplyWay[],
): Promise<Map<string, PossibleChanges>> {
  const known = new Map<string, PossibleChanges>()
  for (const way of new Set(ways)) {
    const changes = way === 'nothing' ? undefined : deps.channels.of(way).changes
    for (const [id, possible] of (await changes?.possible(deps, deps.database.read, of)) ?? []) {
      if (!known.has(id)) known.set(id, possible)
    }
  }
  return known
}

async function readSeen(read: Reader, given: OfTicket): Promise<Thread['seen']> {
  const [found] = await findSeen(read, given)
  return found && found.at !== null ? { messageId: found.messageId, at: found.at } : undefined
}

const NO_FILES = new Map<string, Attachment[]>()
const NO_TROUBLES = new Map<string, SendTrouble>()

function hasFiles({ attachmentCount }: { attachmentCount: number }): boolean {
  return attachmentCount > 0
}

/** More than any ticket has that is read at once. */
const ALL = { ...START, limit: 1_000_000 }

const {
  orgId: _orgId,
  ticketId: _ticketId,
  requestHash: _requestHash,
  sentBy: _sentBy,
  isRemovalShown: _isRemovalShown,
  telegram: chat,
  ...messageColumns
} = getTableColumns(messages)

export const findMessages = statement('thread_messages', sliceOfTicket, (read: Reader, p) =>
  read
    .select({ ...messageColumns, chat })
    .from(messages)
    .where(isAfter(messages, p))
    .orderBy(inOrder(messages, p)),
)

export const findNotes = statement('thread_notes', sliceOfTicket, (read: Reader, p) =>
  read.select().from(notes).where(isAfter(notes, p)).orderBy(inOrder(notes, p)),
)

export const findActivities = statement('thread_activities', sliceOfTicket, (read: Reader, p) =>
  read.select().from(activities).where(isAfter(activities, p)).orderBy(inOrder(activities, p)),
)

export const findWaiting = statement('thread_waiting', sliceOfTicket, (read: Reader, p) =>
  read
    .select({
      id: scheduledMessages.id,
      agentId: scheduledMessages.agentId,
      agentName: scheduledMessages.agentName,
      text: scheduledMessages.text,
      format: scheduledMessages.format,
      attachmentCount: scheduledMessages.attachmentCount,
      recipients: scheduledMessages.recipients,
      thenStatus: scheduledMessages.thenStatus,
      sendAt: scheduledMessages.sendAt,
      isHeld: scheduledMessages.isHeld,
      heldBecause: scheduledMessages.heldBecause,
      createdAt: scheduledMessages.createdAt,
    })
    .from(scheduledMessages)
    .where(isAfter(scheduledMessages, p))
    .orderBy(inOrder(scheduledMessages, p)),
)

const findDrafts = statement('thread_drafts', { ...ofTicket, agentId: text }, (read: Reader, p) =>
  read.select().from(drafts).where(matches(drafts, p)).orderBy(asc(drafts.kind)),
)

const findMark = statement('thread_mark', { ...ofTicket, agentId: text }, (read: Reader, p) =>
  read.select({ messageId: readMarks.messageId }).from(readMarks).where(matches(readMarks, p)),
)

const findSeen = statement('thread_seen', ofTicket, (read: Reader, p) =>
  read
    .select({ messageId: widgetConversations.seenMessageId, at: widgetConversations.seenAt })
    .from(widgetConversations)
    .where(matches(widgetConversations, p)),
)
