import { asc } from 'drizzle-orm'
import { type Attachment, findUnsent } from '../attachments/queries.ts'
import type { ChangeableMessage, PossibleChanges, ReplyDestination, ReplyWay } from '../channels/channel.ts'
import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import type { MessageChat, messages } from '../database/tables/messages.ts'
import type { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { type activities, drafts, type notes, readMarks } from '../database/tables/threads.ts'
import { widgetConversations } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { readDestination } from '../messages/sends/plan-sends.ts'
import { readTroubles, type SendTrouble } from '../messages/sends/queries.ts'
import { type ShownText, shownMetadata } from '../organizations/shown-metadata.ts'
import { readOpenSuggestions, type Suggestion } from '../suggestions/queries.ts'
import { countEdits } from '../tickets/message-edits.ts'
import type { TicketWithCustomer } from '../tickets/queries.ts'
import { type OfTicket, ofTicket } from '../tickets/rows-of-ticket.ts'
import { findSnooze, type Snooze } from '../tickets/snooze/snooze.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import { readFollowers } from './followers.ts'
import { mentionsOf } from './mentions.ts'

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
  chat: MessageChat | null
  trouble?: SendTrouble | undefined
  /** Texts before the one it has now. */
  edits?: number | undefined
  /** Of a message that a chat shows. */
  changes?: PossibleChanges | undefined
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
    | 'actions'
    | 'isLater'
    | 'sendAt'
    | 'isHeld'
    | 'heldBecause'
    | 'createdAt'
  >
>
export type DraftRow = WithFiles<
  Of<typeof drafts, 'kind' | 'text' | 'recipients' | 'actions' | 'sendAt' | 'savedAt'>
>

/** All but the messages, notes, and changes of a thread, and the replies that wait. */
export interface ThreadFrame {
  ticket: TicketWithCustomer
  /** The agent's own, at most one of each kind. */
  drafts: DraftRow[]
  readUpTo: string | undefined
  /** Ids of the agents who follow the ticket. */
  followers: string[]
  snooze: Snooze | undefined
  shownMetadata: ShownText[]
  /** The notes that mention the agent, oldest first. */
  mentions: { noteId: string; seenAt: number | null }[]
  /** Where a reply goes. */
  reply: ReplyDestination
  /** What is open of what programs suggest, newest first. */
  suggestions: Suggestion[]
  /** The newest answer that the visitor of a widget has seen. */
  seen?: { messageId: string; at: number } | undefined
}

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
    followers: await readFollowers(read, given),
    snooze: (await findSnooze(read, given))[0],
    shownMetadata: await shownMetadata(read, orgId, ticket.metadata),
    mentions: await mentionsOf(read, { ...given, agentId }),
    reply,
    suggestions: ticket.isSuggested ? await readOpenSuggestions(read, given) : [],
    seen: ticket.channel === 'widget' ? await readSeen(read, given) : undefined,
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

async function readSeen(read: Reader, given: OfTicket): Promise<ThreadFrame['seen']> {
  const [found] = await findSeen(read, given)
  return found && found.at !== null ? { messageId: found.messageId, at: found.at } : undefined
}

const NO_TROUBLES = new Map<string, SendTrouble>()

const findDrafts = statement('thread_drafts', { ...ofTicket, agentId: text }, (read: Reader, p) =>
  read
    .select()
    .from(drafts)
    .where(matches(drafts, { orgId: p.orgId, agentId: p.agentId, ticketId: p.ticketId }))
    .orderBy(asc(drafts.kind)),
)

const findMark = statement('thread_mark', { ...ofTicket, agentId: text }, (read: Reader, p) =>
  read
    .select({ messageId: readMarks.messageId })
    .from(readMarks)
    .where(matches(readMarks, { orgId: p.orgId, agentId: p.agentId, ticketId: p.ticketId })),
)

const findSeen = statement('thread_seen', ofTicket, (read: Reader, p) =>
  read
    .select({ messageId: widgetConversations.seenMessageId, at: widgetConversations.seenAt })
    .from(widgetConversations)
    .where(matches(widgetConversations, { orgId: p.orgId, ticketId: p.ticketId })),
)
