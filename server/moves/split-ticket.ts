import { and, gte, sql } from 'drizzle-orm'
import { customerOf } from '../customers/customers.ts'
import type { AlsoSave, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import { notes, readMarks } from '../database/tables/threads.ts'
import { PLACES } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { recordActivities } from '../tickets/activities.ts'
import { moveCounters } from '../tickets/counters.ts'
import { requireNotMerged } from '../tickets/merged.ts'
import { insertTickets, requireTicket, type Ticket } from '../tickets/queries.ts'
import { saveChanged } from '../tickets/update-ticket.ts'
import { webhookTicketCreated } from '../tickets/views.ts'
import { waitingOrderOf } from '../tickets/waiting.ts'
import { requireFewMoves } from './move-limit.ts'
import { insertMovedRows, insertMoves, type Move, moveRows, newMove } from './moved-rows.ts'
import { saveMoved, withTimes } from './moved-tickets.ts'

interface Split {
  ticketId: string
  /** Ids of messages, or the first of those that go with all messages and notes after it. */
  messages: string[] | { since: string }
  subject: string
}

/**
 * Moves messages into a new ticket of the same customer and assignee: `ticket.created`, and no `message.sent`, because
 * they were sent before. Throws 404, 400 for messages that aren't in the ticket or are all of it, 409 in a chat, and 429
 * after 60 moves in a minute.
 */
export async function splitTicket(
  deps: Deps,
  orgId: string,
  split: Split,
  alsoSave?: AlsoSave<Move>,
): Promise<Move> {
  return deps.database.write(orgId, async (tx) => {
    const from = await requireTicket(tx, orgId, split.ticketId)
    requireNotMerged(from)
    if (!deps.channels.of(from.channel).isByAddress) throw isChat(deps.channels.of(from.channel).name)
    await requireFewMoves(deps, tx, orgId)
    const chosen = await rowsOf(tx, from, split)
    const opened = newTicket(deps, from, split.subject)
    const move = newMove(deps, orgId, { kind: 'split', fromId: from.id, intoId: opened.id })
    const { id: moveId } = move
    await insertMoves(tx, [move])
    await insertMovedRows(
      tx,
      chosen.map((row) => ({ orgId, moveId, ...row, values: null })),
    )
    await insertTickets(tx, [opened])
    await moveRows(deps, tx, { orgId, moveId, from: from.id, into: opened.id })
    await alsoSave?.(tx, move)
    await recordOpened(deps, tx, move, opened)
    const line = { field: 'split' as const, from: opened.id, to: moveId }
    await saveMoved(deps, tx, orgId, [{ before: from, after: await withTimes(tx, from), line }])
    return move
  })
}

type Chosen = { kind: 'message' | 'note'; rowId: string }

/** Throws 400. */
async function rowsOf(
  tx: Transaction,
  { orgId, id: ticketId }: Ticket,
  { messages: wanted }: Split,
): Promise<Chosen[]> {
  const all = await tx
    .select({ id: messages.id, createdAt: messages.createdAt })
    .from(messages)
    .where(matches(messages, { orgId, ticketId }))
    .orderBy(messages.createdAt, messages.id)
  const chosen = Array.isArray(wanted)
    ? chosenOf(all, wanted)
    : all.slice(placeOf(all, wanted.since, '/since'))
  if (chosen.length === all.length) {
    const detail = 'At least one message must stay in the ticket.'
    throw invalid([{ pointer: '/messages', code: 'too_many', detail }])
  }
  const rows: Chosen[] = chosen.map(({ id }) => ({ kind: 'message', rowId: id }))
  const [first] = chosen
  if (Array.isArray(wanted) || !first) return rows
  const later = await tx
    .select({ id: notes.id })
    .from(notes)
    .where(and(matches(notes, { orgId, ticketId }), gte(notes.createdAt, first.createdAt)))
  return [...rows, ...later.map(({ id }): Chosen => ({ kind: 'note', rowId: id }))]
}

function chosenOf<Row extends { id: string }>(all: Row[], ids: string[]): Row[] {
  const places = ids.map((id, position) => placeOf(all, id, `/messages/${position}`))
  return all.filter((_, place) => places.includes(place))
}

function placeOf(all: { id: string }[], id: string, pointer: string): number {
  const place = all.findIndex((message) => message.id === id)
  if (place >= 0) return place
  const detail = 'There is no message with this id in the ticket.'
  throw invalid([{ pointer, code: 'unknown_message', detail }])
}

function newTicket(deps: Deps, from: Ticket, subject: string): Ticket {
  const now = deps.clock.now()
  return {
    ...from,
    id: deps.newId('tkt'),
    status: 'open',
    subject,
    tags: [],
    externalId: null,
    metadata: null,
    isSuggested: false,
    place: PLACES.inbox,
    snoozedUntil: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
    lastMessageAt: now,
    waitingOrder: waitingOrderOf(undefined, now),
  }
}

async function recordOpened(
  deps: Deps,
  tx: Transaction,
  { orgId, id, fromId }: Move,
  opened: Ticket,
): Promise<void> {
  const ticketId = opened.id
  const after = await withTimes(tx, opened)
  await saveChanged(tx, { before: opened, after })
  await copyMarks(tx, { orgId, fromId, ticketId })
  const line = { field: 'splitFrom' as const, from: fromId, to: id }
  const now = opened.createdAt
  await recordActivities(deps, tx, orgId, { done: [{ ticketId, changes: [line] }], now })
  const customer = await customerOf(tx, orgId, opened.customerId)
  const data = webhookTicketCreated({ ...after, customer })
  const of = { ticketId, createdAt: now }
  recordEvents(deps, tx, orgId, [
    { type: 'ticket.created', ...of, data },
    // A ticket that is created has none yet for who reads the log: its first message has an event of its own.
    { type: 'ticket.updated', ...of, changes: { messages: {} } },
  ])
  moveCounters(tx, orgId, [{ after }])
}

/** What an agent had read is read in the new ticket, too. */
async function copyMarks(
  tx: Transaction,
  { orgId, fromId, ticketId }: { orgId: string; fromId: string; ticketId: string },
): Promise<void> {
  const marks = await tx
    .select()
    .from(readMarks)
    .where(matches(readMarks, { orgId, ticketId: fromId }))
  for (const mark of marks) {
    const { messageId, messageAt } = mark
    const [read] = await tx
      .select({ messageId: messages.id, messageAt: messages.createdAt })
      .from(messages)
      .where(
        and(
          matches(messages, { orgId, ticketId }),
          sql`(${messages.createdAt}, ${messages.id}) <= (${messageAt}, ${messageId})`,
        ),
      )
      .orderBy(sql`${messages.createdAt} desc, ${messages.id} desc`)
      .limit(1)
    if (read) await tx.insert(readMarks).values({ ...mark, ...read, ticketId })
  }
}

function isChat(channel: string): AppError {
  return new AppError(409, 'cannot_split', `Messages in ${channel} can't be moved into a new ticket.`)
}
