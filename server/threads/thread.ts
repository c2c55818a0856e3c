import { and, asc, eq } from 'drizzle-orm'
import { type Attachment, findAttachmentsOfTicket, findUnsent } from '../attachments/queries.ts'
import type { Reader } from '../database/database.ts'
import { statement, textParameter } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { activities, drafts, notes, readMarks } from '../database/tables/threads.ts'
import { widgetConversations } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { readTelegramSends, readTroubles, type SendTrouble } from '../sends/queries.ts'
import { type ReplyDestination, readDestination } from '../sends/reply-destination.ts'
import { possibleChanges } from '../sends/telegram/sent-parts.ts'
import { countEdits } from '../tickets/message-edits.ts'
import type { TicketWithCustomer } from '../tickets/queries.ts'
import { readTicketRow } from '../tickets/tickets.ts'

type Of<Table extends { $inferSelect: object }, Column extends keyof Table['$inferSelect']> = Pick<
  Table['$inferSelect'],
  Column
>

type WithFiles<Row> = Row & { attachments: Attachment[] }

export type MessageRow = WithFiles<
  Of<
    typeof messages,
    | 'id'
    | 'role'
    | 'text'
    | 'format'
    | 'author'
    | 'authorName'
    | 'isAutomatic'
    | 'email'
    | 'telegram'
    | 'hasHtml'
    | 'isHtmlFormatted'
    | 'hasRemoteImages'
    | 'hasQuote'
    | 'agentId'
    | 'agentName'
    | 'sending'
    | 'sendError'
    | 'editedAt'
    | 'takenBackAt'
    | 'createdAt'
  >
> & {
  trouble?: SendTrouble | undefined
  /** Texts before the one it has now. */
  edits?: number | undefined
  /** Of a message that left by Telegram. */
  changes?: { canEdit: boolean; canTakeBack: boolean } | undefined
}
export type NoteRow = WithFiles<
  Of<typeof notes, 'id' | 'agentId' | 'agentName' | 'text' | 'format' | 'createdAt'>
>
export type ActivityRow = Of<
  typeof activities,
  'id' | 'actorKind' | 'actorId' | 'actorName' | 'changes' | 'createdAt'
>
export type WaitingReplyRow = WithFiles<
  Of<
    typeof scheduledMessages,
    | 'id'
    | 'agentId'
    | 'agentName'
    | 'text'
    | 'format'
    | 'recipients'
    | 'thenStatus'
    | 'sendAt'
    | 'isHeld'
    | 'heldBecause'
  >
>
export type DraftRow = WithFiles<Of<typeof drafts, 'kind' | 'text' | 'recipients' | 'savedAt'>>

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
  const [messageRows, noteRows] = [await findMessages(read, given), await findNotes(read, given)]
  const waitingRows = await findWaiting(read, given)
  const withFiles = [...messageRows, ...noteRows, ...waitingRows].some(hasFiles)
  const files = withFiles ? await findAttachmentsOfTicket(read, given) : NO_FILES
  const addFiles = <Row extends { id: string }>(row: Row) => ({
    ...row,
    attachments: files.get(row.id) ?? [],
  })
  const hasTrouble = messageRows.some(({ sendError }) => sendError !== null)
  const troubles = hasTrouble ? await readTroubles(read, given) : NO_TROUBLES
  const isEdited = messageRows.some(({ editedAt }) => editedAt !== null)
  const edits = isEdited ? await countEdits(read, given) : undefined
  const reply = await readDestination(read, ticket, ticket.customer)
  const sent =
    ticket.channel === 'telegram' || reply.by === 'telegram'
      ? await readTelegramSends(read, given)
      : undefined
  const now = deps.clock.now()
  const draftRows = await findDrafts(read, { ...given, agentId })
  const inDrafts = draftRows.flatMap(({ attachments }) => attachments)
  const unsent = await findUnsent(read, { orgId, uploader: agentId, ids: inDrafts })
  return {
    ticket,
    messages: messageRows.map((row) => ({
      ...addFiles(row),
      trouble: troubles.get(row.id),
      edits: edits?.get(row.id),
      changes:
        row.takenBackAt === null
          ? possibleChanges(sent?.get(row.id), { sentAt: row.createdAt, now })
          : undefined,
    })),
    notes: noteRows.map(addFiles),
    activities: await findActivities(read, given),
    waiting: waitingRows.map(addFiles),
    drafts: draftRows.map((draft) => ({
      ...draft,
      attachments: unsent.filter(({ id }) => draft.attachments.includes(id)),
    })),
    readUpTo: mark?.messageId,
    reply,
    seen: ticket.channel === 'widget' ? await readSeen(read, given) : undefined,
  }
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

type Stored<Row> = Omit<Row, 'attachments' | 'trouble' | 'edits' | 'changes'> & { attachmentCount: number }

type OfTicket = { orgId: string; ticketId: string }
type OfAgent = OfTicket & { agentId: string }

const findMessages = statement<OfTicket, Stored<MessageRow>[], Reader>('thread_messages', (read, p) =>
  read
    .select({
      id: messages.id,
      role: messages.role,
      text: messages.text,
      format: messages.format,
      author: messages.author,
      authorName: messages.authorName,
      isAutomatic: messages.isAutomatic,
      email: messages.email,
      telegram: messages.telegram,
      hasHtml: messages.hasHtml,
      isHtmlFormatted: messages.isHtmlFormatted,
      hasRemoteImages: messages.hasRemoteImages,
      hasQuote: messages.hasQuote,
      attachmentCount: messages.attachmentCount,
      agentId: messages.agentId,
      agentName: messages.agentName,
      sending: messages.sending,
      sendError: messages.sendError,
      editedAt: messages.editedAt,
      takenBackAt: messages.takenBackAt,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(and(eq(messages.orgId, textParameter(p.orgId)), eq(messages.ticketId, textParameter(p.ticketId))))
    .orderBy(asc(messages.createdAt), asc(messages.id)),
)

const findNotes = statement<OfTicket, Stored<NoteRow>[], Reader>('thread_notes', (read, p) =>
  read
    .select({
      id: notes.id,
      agentId: notes.agentId,
      agentName: notes.agentName,
      text: notes.text,
      format: notes.format,
      attachmentCount: notes.attachmentCount,
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

const findWaiting = statement<OfTicket, Stored<WaitingReplyRow>[], Reader>('thread_waiting', (read, p) =>
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

const findDrafts = statement<OfAgent, (typeof drafts.$inferSelect)[], Reader>('thread_drafts', (read, p) =>
  read
    .select()
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

const findSeen = statement<OfTicket, { messageId: string; at: number | null }[], Reader>(
  'thread_seen',
  (read, p) =>
    read
      .select({ messageId: widgetConversations.seenMessageId, at: widgetConversations.seenAt })
      .from(widgetConversations)
      .where(and(eq(widgetConversations.orgId, p.orgId), eq(widgetConversations.ticketId, p.ticketId))),
)
