import { type SQL, sql } from 'drizzle-orm'
import type { Static } from 'elysia'
import { withAttachments } from '../attachments/queries.ts'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { activities, notes } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { jsonSlices, type TextSlices } from '../responses/row-slices.ts'
import { messageBytes } from '../tickets/queries.ts'
import { nextParts, partsInSlices, placeInTicket } from '../tickets/rows-of-ticket.ts'
import type { thread } from './schemas.ts'
import { addState, type ThreadFrame } from './thread.ts'
import { type EntryRow, inTimeOrder, viewEntry, viewFrame, viewWaitingReply } from './views.ts'

/** A thread as JSON, in slices. */
export function threadSlices(deps: Deps, frame: ThreadFrame): TextSlices {
  return jsonSlices({
    ...viewFrame(frame),
    timeline: timelineSlices(deps, frame),
    waiting: waitingSlices(deps, frame),
  })
}

async function* timelineSlices(
  deps: Deps,
  frame: ThreadFrame,
): AsyncGenerator<Static<typeof thread>['timeline']> {
  const { read } = deps.database
  const { orgId, id: ticketId } = frame.ticket
  const of = { orgId, ticketId }
  const messageRows = partsInSlices(of, async (place) =>
    addState(deps, frame, await withAttachments(read, orgId, await nextMessages(read, place))),
  )
  const noteRows = partsInSlices(of, async (place) =>
    withAttachments(read, orgId, await nextNotes(read, place)),
  )
  const activityRows = partsInSlices(of, (place) => nextActivities(read, place))
  for await (const entries of mergeByTime([messageRows, noteRows, activityRows])) yield entries.map(viewEntry)
}

async function* waitingSlices(
  { database: { read } }: Deps,
  { ticket: { orgId, id: ticketId } }: ThreadFrame,
): AsyncGenerator<Static<typeof thread>['waiting']> {
  const rows = partsInSlices({ orgId, ticketId }, async (place) =>
    withAttachments(read, orgId, await nextWaiting(read, place)),
  )
  for await (const replies of rows) yield replies.map(viewWaitingReply)
}

/** Merges rows that are each in time order. At most one slice of each kind is in memory. */
async function* mergeByTime(
  kinds: AsyncGenerator<EntryRow[], void, void>[],
): AsyncGenerator<EntryRow[], void, void> {
  const open: { slices: AsyncGenerator<EntryRow[], void, void>; rows: EntryRow[] }[] = []
  for (const slices of kinds) open.push({ slices, rows: (await slices.next()).value ?? [] })
  let merged: EntryRow[] = []
  for (;;) {
    let earliest: (typeof open)[number] | undefined
    for (const one of open) {
      const [row] = one.rows
      const [first] = earliest?.rows ?? []
      if (row && (!first || inTimeOrder(row, first) < 0)) earliest = one
    }
    const row = earliest?.rows.shift()
    if (!earliest || !row) return
    merged.push(row)
    if (earliest.rows.length > 0) continue
    yield merged
    merged = []
    earliest.rows = (await earliest.slices.next()).value ?? []
  }
}

const textBytes = ({ text, attachmentCount }: typeof notes | typeof scheduledMessages): SQL =>
  sql`octet_length(${text}) + 300 * (1 + ${attachmentCount})`

const activityBytes = sql`octet_length(${activities.changes}) + 200`

const nextMessages = statement('thread_messages', placeInTicket, (read: Reader, p) => {
  const { where, order } = nextParts(messages, p, messageBytes)
  return read
    .select({
      id: messages.id,
      role: messages.role,
      text: messages.text,
      format: messages.format,
      author: messages.author,
      authorName: messages.authorName,
      isAutomatic: messages.isAutomatic,
      email: messages.email,
      chat: messages.telegram,
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
    .where(where)
    .orderBy(order)
})

export const nextNotes = statement('thread_notes', placeInTicket, (read: Reader, p) => {
  const { where, order } = nextParts(notes, p, textBytes(notes))
  return read
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
    .where(where)
    .orderBy(order)
})

export const nextActivities = statement('thread_activities', placeInTicket, (read: Reader, p) => {
  const { where, order } = nextParts(activities, p, activityBytes)
  return read
    .select({
      id: activities.id,
      actorKind: activities.actorKind,
      actorId: activities.actorId,
      actorName: activities.actorName,
      changes: activities.changes,
      createdAt: activities.createdAt,
    })
    .from(activities)
    .where(where)
    .orderBy(order)
})

const nextWaiting = statement('thread_waiting', placeInTicket, (read: Reader, p) => {
  const { where, order } = nextParts(scheduledMessages, p, textBytes(scheduledMessages))
  return read
    .select({
      id: scheduledMessages.id,
      agentId: scheduledMessages.agentId,
      agentName: scheduledMessages.agentName,
      text: scheduledMessages.text,
      format: scheduledMessages.format,
      attachmentCount: scheduledMessages.attachmentCount,
      recipients: scheduledMessages.recipients,
      actions: scheduledMessages.actions,
      isLater: scheduledMessages.isLater,
      sendAt: scheduledMessages.sendAt,
      isHeld: scheduledMessages.isHeld,
      heldBecause: scheduledMessages.heldBecause,
      createdAt: scheduledMessages.createdAt,
    })
    .from(scheduledMessages)
    .where(where)
    .orderBy(order)
})
