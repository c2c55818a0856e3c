import { and, eq, gt, inArray } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { customers } from '../database/tables/customers.ts'
import { events as log } from '../database/tables/events.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { followers, mentions, notes } from '../database/tables/threads.ts'
import { PLACES, tickets } from '../database/tables/tickets.ts'
import { snoozes } from '../database/tables/timers.ts'
import type { Deps } from '../deps.ts'
import type { LoggedEvent } from '../events/events.ts'
import type { Recipient } from './audiences.ts'
import type { Facts, Written } from './reasons.ts'

export interface EventFacts {
  event: LoggedEvent
  facts: Facts
  isChat: boolean
  messageId: string | null
  /** Who did it, as agents know them; empty for Bellhop itself. */
  byName: string
}

interface WrittenMessage extends Written {
  authorName: string | null
  mentioned: string[]
}

/**
 * What is known of the events whose tickets are where agents work: neither spam nor merged. `left`: tickets that may have
 * become one of these. `everyone` can be notified; `agents` are also those who can only act.
 */
export async function readFacts(
  deps: Deps,
  orgId: string,
  { events, everyone, agents }: { events: LoggedEvent[]; everyone: Recipient[]; agents: Recipient[] },
): Promise<{ found: EventFacts[]; left: string[] }> {
  const { read } = deps.database
  const ticketIds = [...new Set(events.map(({ ticketId }) => ticketId))]
  const stored = await read
    .select({
      id: tickets.id,
      channel: tickets.channel,
      assignedTo: tickets.assignedTo,
      place: tickets.place,
      createdAt: tickets.createdAt,
      customer: customers.name,
    })
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(and(eq(tickets.orgId, orgId), inArray(tickets.id, ticketIds)))
  const byTicket = new Map(stored.map((one) => [one.id, one]))
  const changes: Change[] = [...events, ...(await readLaterChanges(read, orgId, { events, ticketIds }))]
  const names = new Map(agents.map(({ agentId, name }) => [agentId, name]))
  const ids = events.flatMap(({ messageId }) => messageId ?? [])
  const written = new Map([...(await readMessages(read, orgId, ids)), ...(await readNotes(read, orgId, ids))])
  const snoozedBy = await readSnoozers(read, orgId, events)
  const heldBy = await readHeldAuthors(read, orgId, events)
  const following = written.size > 0 ? await readFollowers(read, orgId, ticketIds) : []
  const hasLeft = (place: number) => place === PLACES.spam || place === PLACES.merged
  const found = events.flatMap((event): EventFacts[] => {
    const ticket = byTicket.get(event.ticketId)
    if (!ticket || hasLeft(ticket.place)) return []
    const messageId = messageOf(event, events)
    const message = messageId === null ? undefined : written.get(messageId)
    const agentId = event.byId?.startsWith('agt_') ? event.byId : message?.agentId
    const customerName = message?.kind === 'customer' ? message.authorName || ticket.customer : undefined
    return [
      {
        event,
        isChat: !deps.channels.of(ticket.channel).isByAddress,
        messageId,
        byName: customerName ?? message?.authorName ?? names.get(agentId ?? '') ?? '',
        facts: {
          type: event.type,
          changes: event.changes ?? {},
          // How a message fared is no one's act.
          by: event.type === 'message.updated' || event.type === 'reply.waiting' ? undefined : agentId,
          assignedTo: assignedAt(event, changes) ?? ticket.assignedTo,
          message,
          isOpening: ticket.createdAt === event.createdAt && openingOf(event, events) === messageId,
          mentioned: message?.mentioned ?? [],
          followers: following.flatMap((one) => (one.ticketId === event.ticketId ? one.agentId : [])),
          snoozedBy: snoozedBy.get(event.ticketId),
          heldBy: heldBy.get(messageId ?? ''),
          everyone: everyone.map((one) => one.agentId),
        },
      },
    ]
  })
  const changed = new Set(events.flatMap((one) => (one.type === 'ticket.updated' ? one.ticketId : [])))
  const left = stored.filter(({ id, place }) => changed.has(id) && hasLeft(place)).map(({ id }) => id)
  return { found, left }
}

/** Its message or note. */
function messageOf(event: LoggedEvent, events: LoggedEvent[]): string | null {
  if (event.type === 'suggestion.added') return null
  // The message that opened the ticket is another event of the same unit.
  return event.messageId ?? (event.type === 'ticket.created' ? openingOf(event, events) : null)
}

type Change = Pick<LoggedEvent, 'number' | 'ticketId' | 'changes'>

/** What happened to the tickets after these events, and may be in what was read of the tickets. Oldest first. */
function readLaterChanges(
  read: Reader,
  orgId: string,
  { events, ticketIds }: { events: LoggedEvent[]; ticketIds: string[] },
): Promise<Change[]> {
  const { number, ticketId, changes } = log
  return read
    .select({ number, ticketId, changes })
    .from(log)
    .where(and(eq(log.orgId, orgId), gt(number, events.at(-1)?.number ?? 0), inArray(ticketId, ticketIds)))
    .orderBy(number)
}

/** To whom the ticket was assigned when the event happened, if that has changed since. */
function assignedAt({ number, ticketId }: LoggedEvent, changes: Change[]): string | undefined {
  const next = changes.find(
    (one) => one.number > number && one.ticketId === ticketId && one.changes?.assignedTo !== undefined,
  )
  return next && (next.changes?.assignedTo?.from ?? '')
}

function openingOf({ ticketId, createdAt }: LoggedEvent, events: LoggedEvent[]): string | null {
  const opening = events.find(
    (one) => one.type === 'message.sent' && one.ticketId === ticketId && one.createdAt === createdAt,
  )
  return opening?.messageId ?? null
}

async function readMessages(read: Reader, orgId: string, ids: string[]): Promise<[string, WrittenMessage][]> {
  if (!ids.some((id) => id.startsWith('msg_'))) return []
  const { id, role, agentId, agentName, authorName, isAutomatic, sending } = messages
  const rows = await read
    .select({ id, role, agentId, agentName, authorName, isAutomatic, sending })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), inArray(messages.id, ids)))
  return rows.map((row) => [
    row.id,
    {
      kind: row.role,
      agentId: row.agentId,
      isAutomatic: row.isAutomatic,
      hasFailed: row.sending === 'failed' || row.sending === 'bounced',
      authorName: row.role === 'agent' ? row.agentName : row.authorName,
      mentioned: [],
    },
  ])
}

async function readNotes(read: Reader, orgId: string, ids: string[]): Promise<[string, WrittenMessage][]> {
  if (!ids.some((id) => id.startsWith('not_'))) return []
  const { id, agentId, agentName } = notes
  const rows = await read
    .select({ id, agentId, agentName })
    .from(notes)
    .where(and(eq(notes.orgId, orgId), inArray(notes.id, ids)))
  const mentioned = await read
    .select({ noteId: mentions.noteId, agentId: mentions.agentId })
    .from(mentions)
    .where(and(eq(mentions.orgId, orgId), inArray(mentions.noteId, ids)))
  return rows.map((row) => [
    row.id,
    {
      kind: 'note',
      agentId: row.agentId,
      isAutomatic: false,
      hasFailed: false,
      authorName: row.agentName,
      mentioned: mentioned.flatMap((one) => (one.noteId === row.id ? one.agentId : [])),
    },
  ])
}

function readFollowers(read: Reader, orgId: string, ticketIds: string[]) {
  return read
    .select({ ticketId: followers.ticketId, agentId: followers.agentId })
    .from(followers)
    .where(and(matches(followers, { orgId, isFollowing: true }), inArray(followers.ticketId, ticketIds)))
}

/** By ticket that is back, who snoozed it. Null for anyone but an agent. */
async function readSnoozers(
  read: Reader,
  orgId: string,
  events: LoggedEvent[],
): Promise<Map<string, string | null>> {
  const ids = events.flatMap(({ changes, ticketId }) => (changes?.snoozedUntil?.to === null ? ticketId : []))
  if (ids.length === 0) return new Map()
  const rows = await read
    .select({ ticketId: snoozes.ticketId, agentId: snoozes.agentId })
    .from(snoozes)
    .where(and(eq(snoozes.orgId, orgId), inArray(snoozes.ticketId, ids)))
  return new Map(rows.map(({ ticketId, agentId }) => [ticketId, agentId]))
}

/** By reply that is held, its author. Null for a key. */
async function readHeldAuthors(
  read: Reader,
  orgId: string,
  events: LoggedEvent[],
): Promise<Map<string, string | null>> {
  const ids = events.flatMap(({ type, messageId }) => (type === 'reply.waiting' ? (messageId ?? []) : []))
  if (ids.length === 0) return new Map()
  const { id, agentId } = scheduledMessages
  const rows = await read
    .select({ id, agentId })
    .from(scheduledMessages)
    .where(and(matches(scheduledMessages, { orgId, isHeld: true }), inArray(id, ids)))
  return new Map(rows.map((row) => [row.id, row.agentId]))
}
