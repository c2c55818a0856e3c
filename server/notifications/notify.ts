import { and, desc, eq, gte, inArray, isNull, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { insertOf } from '../database/statement.ts'
import type { LogEvent } from '../database/tables/events.ts'
import {
  notificationSettings,
  notifications,
  type pushes,
  type Ways,
} from '../database/tables/notifications.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import type { LoggedEvent } from '../events/events.ts'
import type { Live } from '../live/live.ts'
import type { Effect, Reaction } from '../reactions/react-to-log.ts'
import type { Audience, Audiences, Recipient } from './audiences.ts'
import { addSettings, isHeard } from './choices.ts'
import { type EventFacts, readFacts } from './facts.ts'
import { queuePushes } from './push/queue-pushes.ts'
import { type Facts, RULES } from './reasons.ts'
import { forgetTicket, markSeen } from './seen.ts'
import { findViewMatches } from './view-matches.ts'

/** A notification that is unseen for this long is emailed. */
const EMAIL_AFTER_MS = 5 * 60_000
/** Slices of one bulk change are this close to each other. */
const BULK_MS = 10_000
const TYPES = [
  'ticket.created',
  'message.sent',
  'ticket.updated',
  'message.updated',
  'note.added',
  'suggestion.added',
  'reply.waiting',
] as const satisfies LogEvent[]

type Row = typeof notifications.$inferSelect
type Push = typeof pushes.$inferSelect

/** A row, whom it is for, and where it reaches them. */
interface NewNotification {
  row: Row
  recipient: Recipient
  ways: Ways
}

/** Notifies agents of events that concern them: with rows, pushes to their browsers, and a time at which an email is due. */
export function createReaction(
  deps: Deps,
  { live, audiences }: { live: Live; audiences: Audiences },
): Reaction {
  return {
    types: TYPES,
    async effectOf(orgId, events): Promise<Effect | undefined> {
      const audience = await audiences.of(orgId)
      const online = new Set(live.presenceOf(orgId)?.online)
      const reachable = audience.recipients.filter(
        ({ agentId, browsers }) => browsers.length > 0 || audience.hasMailbox || online.has(agentId),
      )
      if (reachable.length === 0) return undefined
      const { found, left } = await readFacts(deps, orgId, {
        events,
        everyone: reachable,
        agents: audience.recipients,
      })
      const written = found.flatMap(({ event, facts }) => writtenBy(event, facts))
      const rung = await bellNotifications(deps, orgId, { found, recipients: reachable })
      const added = grouped([...notificationsOf(orgId, found, reachable), ...rung]).filter(
        ({ row, recipient: { agentId, browsers, choices }, ways }) =>
          (online.has(agentId) && (ways.push || ways.email || isHeard(choices, row))) ||
          (ways.push && browsers.length > 0) ||
          (ways.email && audience.hasMailbox),
      )
      if (added.length + written.length + left.length === 0) return undefined
      return async (tx) => {
        const now = deps.clock.now()
        const changed = new Set<string>()
        for (const ticketId of left) {
          for (const agentId of await forgetTicket(tx, { orgId, ticketId, now })) changed.add(agentId)
        }
        for (const { agentId, ticketId, number } of written) {
          await markSeen(tx, { orgId, agentId, ticketId, now, before: number })
          changed.add(agentId)
        }
        const remaining = await withoutDeleted(tx, orgId, added)
        await addNotifications(deps, tx, { orgId, added: remaining, written, live, audience })
        for (const { row } of remaining) changed.add(row.agentId)
        return () => live.showNotified(orgId, changed)
      }
    },
  }
}

/** An agent who writes on a ticket has seen its earlier notifications. */
interface OwnMessage {
  agentId: string
  ticketId: string
  /** Of the event. */
  number: number
}

function writtenBy({ type, ticketId, number }: LoggedEvent, { by }: Facts): OwnMessage[] {
  const isWritten = type === 'message.sent' || type === 'note.added'
  return isWritten && by != null ? [{ agentId: by, ticketId, number }] : []
}

function notificationsOf(orgId: string, found: EventFacts[], recipients: Recipient[]): NewNotification[] {
  return found.flatMap((one) => {
    const { event, facts } = one
    const notified = new Set([facts.by])
    return RULES.filter(({ on }) => on.includes(event.type)).flatMap(({ reason, whom }) =>
      whom(facts).flatMap((agentId): NewNotification[] => {
        const recipient = recipients.find((one) => one.agentId === agentId)
        if (!recipient || notified.has(agentId)) return []
        notified.add(agentId)
        const ways = recipient.choices.ways[reason]
        const row = newRow(orgId, one, { agentId: recipient.agentId, reason, viewId: null })
        return [{ row, recipient, ways }]
      }),
    )
  })
}

/** For tickets that are new in saved views with a bell. */
async function bellNotifications(
  deps: Deps,
  orgId: string,
  { found, recipients }: { found: EventFacts[]; recipients: Recipient[] },
): Promise<NewNotification[]> {
  const changing = found.filter(
    ({ event: { type }, facts }) =>
      type === 'ticket.created' ||
      type === 'ticket.updated' ||
      type === 'suggestion.added' ||
      (type === 'message.sent' && facts.message?.kind === 'customer'),
  )
  const ticketIds = [...new Set(changing.map(({ event }) => event.ticketId))]
  const matches = await findViewMatches(deps, orgId, { ticketIds, recipients })
  return matches.flatMap(({ recipient, ticketId, viewId, push, email }): NewNotification[] => {
    const last = changing.findLast(({ event }) => event.ticketId === ticketId)
    if (!last || last.facts.by === recipient.agentId) return []
    const row = newRow(orgId, last, { agentId: recipient.agentId, reason: 'view', viewId })
    return [{ row, recipient, ways: { push, email, sound: false } }]
  })
}

function newRow(
  orgId: string,
  { event, isChat, messageId, byName }: EventFacts,
  { agentId, reason, viewId }: Pick<Row, 'agentId' | 'reason' | 'viewId'>,
): Row {
  return {
    orgId,
    agentId,
    eventNumber: event.number,
    ticketId: event.ticketId,
    reason,
    messageId,
    byName: reason === 'failed' || reason === 'snooze_ended' ? '' : byName,
    viewId,
    isChat,
    tickets: 1,
    seenAt: null,
    emailId: null,
    createdAt: event.createdAt,
  }
}

/** Without repetitions. Tickets that one person assigned to an agent at about the same time are one notification. */
function grouped(added: NewNotification[]): NewNotification[] {
  const byAgent = Map.groupBy(added, ({ row }) => row.agentId)
  return [...byAgent.values()].flatMap(groupedForAgent)
}

function groupedForAgent(added: NewNotification[]): NewNotification[] {
  const kept: NewNotification[] = []
  for (const one of added) {
    const { row } = one
    // An event notifies an agent once, and so does a message that ends a snooze.
    const isRepeated = kept.some(
      ({ row: other }) =>
        other.eventNumber === row.eventNumber ||
        (row.reason === 'snooze_ended' &&
          other.ticketId === row.ticketId &&
          other.createdAt === row.createdAt),
    )
    if (isRepeated) continue
    const same = isBulkable(row)
      ? kept.find(
          ({ row: other }) =>
            isBulkable(other) && other.byName === row.byName && row.createdAt - other.createdAt <= BULK_MS,
        )
      : undefined
    if (same) same.row = { ...same.row, tickets: same.row.tickets + 1 }
    else kept.push({ ...one })
  }
  return kept
}

/** An assignment that can be part of a bulk change: a new ticket's comes with its message. */
function isBulkable({ reason, messageId }: Row): boolean {
  return reason === 'assigned' && messageId === null
}

/** A ticket can have been deleted since its events were read, and nothing of it must be stored again. */
async function withoutDeleted(
  tx: Transaction,
  orgId: string,
  added: NewNotification[],
): Promise<NewNotification[]> {
  if (added.length === 0) return []
  const ticketIds = [...new Set(added.map(({ row }) => row.ticketId))]
  const rows = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(eq(tickets.orgId, orgId), inArray(tickets.id, ticketIds)))
  const remaining = new Set(rows.map(({ id }) => id))
  return added.filter(({ row }) => remaining.has(row.ticketId))
}

async function addNotifications(
  deps: Deps,
  tx: Transaction,
  {
    orgId,
    added,
    written,
    live,
    audience,
  }: { orgId: string; added: NewNotification[]; written: OwnMessage[]; live: Live; audience: Audience },
): Promise<void> {
  const now = deps.clock.now()
  const rows: Row[] = []
  /** By subscription and ticket: the newest one is enough. */
  const pushes = new Map<string, Push>()
  const emailDueAt = new Map<string, number>()
  for (const { row, recipient, ways } of added) {
    if (await addToBulk(tx, row)) continue
    const { agentId, ticketId, eventNumber } = row
    const isAnswered = written.some(
      (one) => one.agentId === agentId && one.ticketId === ticketId && one.number > eventNumber,
    )
    const isSeen = isAnswered || live.isFocused(orgId, { agentId, ticketId })
    rows.push({ ...row, seenAt: isSeen ? now : null })
    if (isSeen) continue
    const pausedUntil = recipient.choices.pausedUntil ?? 0
    for (const subscriptionId of ways.push && pausedUntil <= now ? recipient.browsers : []) {
      const push = { subscriptionId, tag: ticketId, orgId, agentId, eventNumber, dueAt: now, attempts: 0 }
      pushes.set(`${subscriptionId} ${ticketId}`, push)
    }
    if (ways.email && audience.hasMailbox) {
      emailDueAt.set(agentId, Math.max(now + EMAIL_AFTER_MS, pausedUntil))
    }
  }
  await insertNotifications(tx, rows)
  await queuePushes(tx, [...pushes.values()])
  for (const [agentId, dueAt] of emailDueAt) {
    await addSettings(tx, { orgId, agentId })
    await tx
      .update(notificationSettings)
      .set({ emailDueAt: sql`coalesce(${notificationSettings.emailDueAt}, ${dueAt})` })
      .where(matches(notificationSettings, { orgId, agentId }))
  }
}

/** Adds tickets to the notification of an earlier slice of the same bulk change. Returns whether there is one. */
async function addToBulk(tx: Transaction, row: Row): Promise<boolean> {
  if (!isBulkable(row)) return false
  const { orgId, agentId, reason, byName } = row
  const [earlier] = await tx
    .select({ eventNumber: notifications.eventNumber })
    .from(notifications)
    .where(
      and(
        matches(notifications, { orgId, agentId, reason, byName }),
        isNull(notifications.messageId),
        isNull(notifications.seenAt),
        gte(notifications.createdAt, row.createdAt - BULK_MS),
      ),
    )
    .orderBy(desc(notifications.eventNumber))
    .limit(1)
  if (!earlier) return false
  await tx
    .update(notifications)
    .set({ tickets: sql`${notifications.tickets} + ${row.tickets}` })
    .where(matches(notifications, { orgId, agentId, eventNumber: earlier.eventNumber }))
  return true
}

const insertNotifications = insertOf(notifications, { onConflict: 'keep' })
