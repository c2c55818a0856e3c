import { type Attachment, findAttachmentsOf, findAttachmentsOfTicket } from '../../../attachments/queries.ts'
import type { Reader } from '../../../database/database.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { newestEvent } from '../../../events/events.ts'
import { isId } from '../../../ids.ts'
import { yieldToEventLoop } from '../../../loop.ts'
import { survivorOf } from '../../../tickets/merged.ts'
import {
  type ConversationRow,
  countUnread,
  findConversation,
  findConversationsOf,
  findMessage,
  findMessagesBefore,
  findMessagesSince,
  findNewestAgent,
  findRemovedSince,
  findTicketIdsOf,
  type MessagePlace,
  type Owner,
  type VisibleMessage,
} from './queries.ts'

const MAX_CONVERSATIONS = 50
/** The conversations whose changes a stream follows. */
const MAX_FOLLOWED = 200
const MESSAGES_PER_PAGE = 50
/** A page with long messages has fewer of them, but at least one: it is read and sent at once. */
const CHARACTERS_PER_PAGE = 128 * 1024
const MESSAGES_AT_ONCE = 10
/** Conversations that are completed before other requests run. */
const CONVERSATIONS_PER_YIELD = 10
/** After every message. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER

export type MessageWithFiles = VisibleMessage & { attachments: Attachment[] }

type LocatedRow = ConversationRow & { place: MessagePlace }

/** A conversation with what its line in a list shows. */
export interface Conversation extends LocatedRow {
  newest: MessageWithFiles | undefined
  unread: number
  agentName: string | null
}

interface ConversationPage {
  conversation: Conversation
  /** Oldest first. */
  messages: MessageWithFiles[]
  hasOlder: boolean
  event: number
}

/** The newest conversations of a visitor. A stream after `event` misses nothing: it is read first. */
export async function listConversations(
  deps: Deps,
  owner: Owner,
): Promise<{ conversations: Conversation[]; event: number }> {
  const { read } = deps.database
  const event = await newestEvent(read, owner.orgId)
  const rows = await findConversationsOf(read, owner, MAX_CONVERSATIONS)
  const conversations: Conversation[] = []
  for (const row of rows) {
    const shown = await locate(read, row)
    // What it was merged into is in the list itself.
    if (shown.ticketId !== row.ticketId) continue
    conversations.push(await completed(read, shown))
    if (conversations.length % CONVERSATIONS_PER_YIELD === 0) await yieldToEventLoop()
  }
  const timeOf = ({ newest, createdAt }: Conversation) => newest?.createdAt ?? createdAt
  return { conversations: conversations.sort((one, other) => timeOf(other) - timeOf(one)), event }
}

/** Ids of the tickets whose changes a visitor sees. */
export function followedTickets({ database }: Deps, owner: Owner): Promise<string[]> {
  return findTicketIdsOf(database.read, owner, MAX_FOLLOWED)
}

/** The newest messages of a conversation, or those before one of them. Throws 404. */
export async function readConversation(
  deps: Deps,
  owner: Owner,
  { id, before }: { id: string; before: string | undefined },
): Promise<ConversationPage> {
  const { read } = deps.database
  const event = await newestEvent(read, owner.orgId)
  const row = await requireConversation(read, owner, id)
  const ofTicket = row.place
  const [first] = before === undefined ? [] : await findMessage(read, { ...ofTicket, id: before })
  if (before !== undefined && !first) throw unknownConversation()
  const { newestFirst, hasOlder } = await readPage(read, ofTicket, first)
  return {
    conversation: await completed(read, row),
    messages: await withFiles(read, ofTicket, newestFirst.reverse()),
    hasOlder,
    event,
  }
}

/** The messages of one page: the newest ones, or those before a message. */
async function readPage(
  read: Reader,
  ofTicket: MessagePlace,
  before: VisibleMessage | undefined,
): Promise<{ newestFirst: VisibleMessage[]; hasOlder: boolean }> {
  const newestFirst: VisibleMessage[] = []
  let characters = 0
  let place = { time: before?.createdAt ?? END_OF_TIME, id: before?.id ?? '' }
  for (;;) {
    const earlier = await findMessagesBefore(read, { ...ofTicket, ...place, limit: MESSAGES_AT_ONCE })
    for (const message of earlier) {
      characters += message.text.length
      const isFull = newestFirst.length === MESSAGES_PER_PAGE || characters > CHARACTERS_PER_PAGE
      if (isFull && newestFirst.length > 0) return { newestFirst, hasOlder: true }
      newestFirst.push(message)
    }
    const last = earlier.at(-1)
    if (!last || earlier.length < MESSAGES_AT_ONCE) return { newestFirst, hasOlder: false }
    place = { time: last.createdAt, id: last.id }
  }
}

/** A message that the visitor sent, with its conversation. */
export async function readSent(
  deps: Deps,
  orgId: string,
  { ticketId, messageId }: { ticketId: string; messageId: string },
): Promise<{ conversation: Conversation; message: MessageWithFiles }> {
  const { read } = deps.database
  const conversation = await conversationById(deps, { orgId, ticketId })
  if (!conversation) throw unknownConversation()
  const { place } = conversation
  const [message] = await withFiles(read, place, await findMessage(read, { ...place, id: messageId }))
  if (!message) throw unknownConversation()
  return { conversation, message }
}

export async function conversationById(
  deps: Deps,
  ofTicket: { orgId: string; ticketId: string },
): Promise<Conversation | undefined> {
  const { read } = deps.database
  const [row] = await findConversation(read, ofTicket)
  return row && completed(read, await locate(read, row))
}

/** Visible messages since a time, oldest first. */
export async function messagesSince(
  deps: Deps,
  { time, limit, ...ofTicket }: MessagePlace & { time: number; limit: number },
): Promise<MessageWithFiles[]> {
  const { read } = deps.database
  return withFiles(read, ofTicket, await findMessagesSince(read, { ...ofTicket, time, limit }))
}

/** Messages that were taken back since a time: those that the visitor had seen, and the ids of the others. */
export async function removedSince(
  deps: Deps,
  { time, ...ofTicket }: MessagePlace & { time: number },
): Promise<{ seen: MessageWithFiles[]; unseen: string[] }> {
  const { read } = deps.database
  const removed = await findRemovedSince(read, { ...ofTicket, time })
  const unseen = removed.filter(({ isRemovalShown }) => !isRemovalShown).map(({ id }) => id)
  const seen: MessageWithFiles[] = []
  for (const { id, isRemovalShown } of removed) {
    if (isRemovalShown)
      seen.push(...(await withFiles(read, ofTicket, await findMessage(read, { ...ofTicket, id }))))
  }
  return { seen, unseen }
}

/** One of the visitor's own conversations. Throws 404, also for other people's conversations. */
export async function requireConversation(read: Reader, owner: Owner, id: string): Promise<LocatedRow> {
  const [row] = isId('tkt', id) ? await findConversation(read, { orgId: owner.orgId, ticketId: id }) : []
  if (!row || !isOwn(row, owner)) throw unknownConversation()
  return locate(read, row)
}

/**
 * The conversation that has the messages of another one now: that itself, or the one of the same visitor that it was merged
 * into. If it was merged into a ticket that its visitor doesn't see, it stays, with its own messages only.
 */
async function locate(read: Reader, row: ConversationRow): Promise<LocatedRow> {
  const { orgId, ticketId } = row
  if (row.mergedInto === null) return { ...row, place: { orgId, ticketId, within: '' } }
  const survivorId = await survivorOf(read, orgId, ticketId)
  const [survivor] = await findConversation(read, { orgId, ticketId: survivorId })
  const owner = { orgId, id: row.visitorId, userId: row.userId }
  if (survivor && isOwn(survivor, owner)) {
    return { ...survivor, place: { orgId, ticketId: survivorId, within: '' } }
  }
  return { ...row, place: { orgId, ticketId: survivorId, within: ticketId } }
}

/** Whether a message is in one of the visitor's conversations that were merged into this ticket. */
export async function findInMerged(
  read: Reader,
  owner: Owner,
  { ticketId, id }: { ticketId: string; id: string },
): Promise<VisibleMessage | undefined> {
  for (const own of await findTicketIdsOf(read, owner, MAX_FOLLOWED)) {
    const [row] = await findConversation(read, { orgId: owner.orgId, ticketId: own })
    if (!row || row.mergedInto === null) continue
    const { place } = await locate(read, row)
    const [message] = place.ticketId === ticketId ? await findMessage(read, { ...place, id }) : []
    if (message) return message
  }
  return undefined
}

/** A verified user's conversations are theirs in every browser; those of other visitors belong to the browser. */
export function isOwn(
  { orgId, visitorId, userId }: Pick<ConversationRow, 'orgId' | 'visitorId' | 'userId'>,
  owner: Owner,
): boolean {
  if (orgId !== owner.orgId) return false
  return owner.userId === null ? userId === null && visitorId === owner.id : userId === owner.userId
}

export function unknownConversation(): AppError {
  return new AppError(404, 'unknown_conversation', 'You have no conversation with this id.')
}

async function completed(read: Reader, row: LocatedRow): Promise<Conversation> {
  const ofTicket = row.place
  const newest = await findMessagesBefore(read, { ...ofTicket, time: END_OF_TIME, id: '', limit: 1 })
  const [preview] = await withFiles(read, ofTicket, newest)
  const [count] = await countUnread(read, {
    ...ofTicket,
    time: row.seenMessageAt ?? -1,
    id: row.seenMessageId,
  })
  const [agent] = await findNewestAgent(read, ofTicket)
  return {
    ...row,
    newest: preview,
    unread: Number(count?.unread ?? 0),
    agentName: agent?.agentName ?? row.assigneeName,
  }
}

async function withFiles(
  read: Reader,
  ofTicket: MessagePlace,
  found: VisibleMessage[],
): Promise<MessageWithFiles[]> {
  const ticketId = ofTicket.within || ofTicket.ticketId
  const rows = found.map((row) => ({ ...row, ticketId }))
  const having = rows.filter(({ attachmentCount }) => attachmentCount > 0)
  const [only] = having
  if (!only) return rows.map((row) => ({ ...row, attachments: [] }))
  if (having.length === 1) {
    const attachments = await findAttachmentsOf(read, { orgId: ofTicket.orgId, ownerId: only.id })
    return rows.map((row) => ({ ...row, attachments: row === only ? attachments : [] }))
  }
  const files = await findAttachmentsOfTicket(read, ofTicket)
  return rows.map((row) => ({ ...row, attachments: files.get(row.id) ?? [] }))
}
