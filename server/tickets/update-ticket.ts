import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import type { EventChanges } from '../database/tables/events.ts'
import type { FieldChange } from '../database/tables/threads.ts'
import { type Actions, PLACES } from '../database/tables/tickets.ts'
import { isoTimeOrNull } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { type NewEvent, recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { isNamed } from '../requests/headers.ts'
import { isSameMetadata, type MetadataChange, mergeMetadata } from '../requests/metadata.ts'
import { recordActivities } from './activities.ts'
import { moveCounters } from './counters.ts'
import { agentIdOf } from './filters/addresses.ts'
import { requireNotMerged } from './merged.ts'
import {
  deleteTag,
  insertTags,
  lockEnabledAgent,
  requireFreeExternalId,
  requireTicket,
  saveTagged,
  saveTicket,
  type Ticket,
} from './queries.ts'
import { requireSnoozable, saveSnooze } from './snooze/snooze.ts'
import { ticketEtag } from './views.ts'
import { readWaitingOrder, waitingOrderOf, waitingSinceOf } from './waiting.ts'

/** All that can change. Fields that are absent stay as they are. */
export interface InboxChange extends Actions {
  /** Replaces all tags. */
  tags?: string[]
  subject?: string
  isSpam?: boolean
  /** Null removes it. */
  externalId?: string | null
  metadata?: MetadataChange
}

/** A ticket before and after an effective change. */
export interface Changed {
  before: Ticket
  after: Ticket
}

export const MAX_TAGS = 50

/**
 * Changes a ticket and adds the change to its thread. A change without effect leaves `updatedAt` and records nothing.
 * Throws 409 for a merged ticket. With `ifMatch` it throws 412 unless that is the ticket's current ETag.
 */
export async function updateTicket(
  deps: Deps,
  orgId: string,
  { id, change: wanted, ifMatch }: { id: string; change: InboxChange; ifMatch?: string | undefined },
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const change = await withAgentId(tx, orgId, wanted)
    const assignable = await lockAssignees(tx, orgId, [change])
    const before = await requireTicket(tx, orgId, id)
    requireNotMerged(before)
    if (ifMatch !== undefined) await requireMatch(tx, before, ifMatch)
    const now = deps.clock.now()
    const changed = await changeRow(deps, tx, before, { change, assignable, now })
    if (changed) await recordChanges(deps, tx, orgId, { done: [changed], now })
  })
}

/** An agent can be named by their address. One that no agent has is refused with the rest of the change. */
async function withAgentId(tx: Transaction, orgId: string, change: InboxChange): Promise<InboxChange> {
  if (!change.assignedTo) return change
  return { ...change, assignedTo: await agentIdOf(tx, orgId, change.assignedTo) }
}

/**
 * Locks the rows of the agents that tickets are assigned to, in order, so that none is disabled before the unit ends. It comes
 * first in a unit that assigns. Returns the enabled ones, and an empty string for unassigning.
 */
export async function lockAssignees(
  tx: Transaction,
  orgId: string,
  changes: Pick<Actions, 'assignedTo'>[],
): Promise<Set<string>> {
  const wanted = new Set(changes.map((change) => change.assignedTo ?? ''))
  const assignable = new Set([''])
  for (const id of [...wanted].sort()) {
    const [agent] = isId('agt', id) ? await lockEnabledAgent(tx, { orgId, id }) : []
    if (agent) assignable.add(id)
  }
  return assignable
}

interface RowChange {
  change: InboxChange
  assignable: Set<string>
  now: number
  /** The snooze ends by itself or by a message, so the ticket comes back on top, and unread. */
  isWoken?: boolean
  /** When a message reopens the ticket: the customer waits from this message on. */
  waitingSince?: number
}

/**
 * Changes a ticket whose row is locked, and adds the change to its thread. Returns undefined if nothing changes. Call
 * `recordChanges` after it, once for all tickets of the unit. Throws 409 when another ticket has the external id.
 */
export async function changeRow(
  deps: Deps,
  tx: Transaction,
  before: Ticket,
  { change, assignable, now, isWoken = false, waitingSince }: RowChange,
): Promise<Changed | undefined> {
  requireSnoozable(change, now)
  const wanted = wantedTicket(before, change, assignable)
  const changes = fieldChanges(before, wanted)
  if (changes.length === 0 && !isOutsideChanged({ before, after: wanted })) return undefined
  if (wanted.externalId !== before.externalId) await requireFreeExternalId(tx, wanted)
  const after = { ...wanted, version: before.version + 1, updatedAt: now }
  if (isWoken) after.lastMessageAt = now
  after.waitingOrder = await waitingOrderAfter(tx, { before, after, waitingSince })
  await saveChanged(tx, { before, after })
  if (after.snoozedUntil !== before.snoozedUntil) {
    changes.push(...(await saveSnooze(deps, tx, { ticket: after, why: change.why, isWoken, now })))
  }
  if (changes.length > 0) {
    await recordActivities(deps, tx, before.orgId, { done: [{ ticketId: before.id, changes }], now })
  }
  return { before, after }
}

async function waitingOrderAfter(
  tx: Transaction,
  { before, after, waitingSince }: Changed & { waitingSince: number | undefined },
): Promise<number> {
  if (after.status === before.status) {
    const isMoved = after.lastMessageAt !== before.lastMessageAt && waitingSinceOf(before) === undefined
    return isMoved ? waitingOrderOf(undefined, after.lastMessageAt) : before.waitingOrder
  }
  if (after.status === 'resolved') return waitingOrderOf(undefined, after.lastMessageAt)
  if (before.status !== 'resolved') return before.waitingOrder
  if (waitingSince !== undefined) return waitingSince
  return readWaitingOrder(tx, after)
}

/** Records the changes in the log and updates the counters. It comes last in a unit. */
export async function recordChanges(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { done, now }: { done: Changed[]; now: number },
): Promise<void> {
  if (done.length === 0) return
  recordEvents(
    deps,
    tx,
    orgId,
    done.map((changed) => updatedEvent(changed, now)),
  )
  moveCounters(tx, orgId, done)
}

/** What the log says of a change. */
export function updatedEvent({ before, after }: Changed, createdAt: number): NewEvent {
  const changes: EventChanges = {}
  if (before.status !== after.status) changes.status = { from: before.status, to: after.status }
  if (before.assignedTo !== after.assignedTo) {
    changes.assignedTo = { from: before.assignedTo || null, to: after.assignedTo || null }
  }
  if (!isSame(before.tags, after.tags)) changes.tags = { from: before.tags, to: after.tags }
  const [wasSpam, isSpam] = [before.place === PLACES.spam, after.place === PLACES.spam]
  if (wasSpam !== isSpam) changes.spam = { from: wasSpam, to: isSpam }
  if (before.subject !== after.subject) changes.subject = {}
  if (before.externalId !== after.externalId) changes.externalId = {}
  if (!isSameMetadata(before.metadata, after.metadata)) changes.metadata = {}
  if (before.mergedInto !== after.mergedInto) {
    changes.mergedInto = { from: before.mergedInto, to: after.mergedInto }
  }
  if (before.snoozedUntil !== after.snoozedUntil) {
    changes.snoozedUntil = { from: isoTimeOrNull(before.snoozedUntil), to: isoTimeOrNull(after.snoozedUntil) }
  }
  return { type: 'ticket.updated', ticketId: after.id, createdAt, changes }
}

/** Trimmed, without duplicates, in the same order and case. */
export function cleanTags(tags: string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()))]
}

/** The ticket after the change. Throws 400 for an unknown agent, and for too many tags or keys of metadata. */
export function wantedTicket(before: Ticket, change: InboxChange, assignable: Set<string>): Ticket {
  const after = {
    ...before,
    ...placeAfter(before, change),
    status: change.status ?? before.status,
    assignedTo: change.assignedTo === undefined ? before.assignedTo : (change.assignedTo ?? ''),
    tags: changedTags(before.tags, change),
    subject: change.subject ?? before.subject,
    externalId: change.externalId === undefined ? before.externalId : change.externalId,
    metadata: mergeMetadata(before.metadata, change.metadata),
  }
  if (after.assignedTo !== before.assignedTo && !assignable.has(after.assignedTo)) {
    throw unknownAgent('/assignedTo', after.assignedTo)
  }
  return after
}

async function requireMatch(tx: Transaction, ticket: Ticket, ifMatch: string): Promise<void> {
  const customer = await customerOf(tx, ticket.orgId, ticket.customerId)
  // A proxy that compresses makes the ETag a weak one.
  if (isNamed(ifMatch, ticketEtag({ ...ticket, customer }))) return
  throw new AppError(412, 'precondition_failed', 'The ticket changed since you read it. Read it again.')
}

function changedTags(before: string[], { tags, addTags = [], removeTags = [] }: InboxChange): string[] {
  const removed = new Set(cleanTags(removeTags))
  const kept = (tags ? cleanTags(tags) : before).filter((tag) => !removed.has(tag))
  const after = [...new Set([...kept, ...cleanTags(addTags)])]
  if (after.length <= MAX_TAGS || after.length <= before.length) return after
  const detail = `A ticket can have at most ${MAX_TAGS} tags.`
  throw invalid([{ pointer: '/addTags', code: 'too_many', detail }])
}

function fieldChanges(before: Ticket, after: Ticket): FieldChange[] {
  const pairs: FieldChange[] = [
    { field: 'status', from: before.status, to: after.status },
    { field: 'assignedTo', from: before.assignedTo, to: after.assignedTo },
    { field: 'tags', from: before.tags, to: after.tags },
    { field: 'subject', from: before.subject, to: after.subject },
    { field: 'spam', from: before.place === PLACES.spam, to: after.place === PLACES.spam },
    {
      field: 'snoozedUntil',
      from: isoTimeOrNull(before.snoozedUntil) ?? '',
      to: isoTimeOrNull(after.snoozedUntil) ?? '',
    },
  ]
  return pairs.filter(({ from, to }) => !isSame(from, to))
}

/** What other systems keep with the ticket. Its thread doesn't show that it changed. */
function isOutsideChanged({ before, after }: Changed): boolean {
  return before.externalId !== after.externalId || !isSameMetadata(before.metadata, after.metadata)
}

/** Resolving a ticket ends its snooze, and spam and merged tickets have none. */
function placeAfter(before: Ticket, change: InboxChange): Pick<Ticket, 'place' | 'snoozedUntil'> {
  const { status, isSpam = before.place === PLACES.spam } = change
  if (before.place === PLACES.merged) return { place: PLACES.merged, snoozedUntil: null }
  if (isSpam) return { place: PLACES.spam, snoozedUntil: null }
  const isResolved = status === 'resolved' && before.status !== 'resolved'
  const kept = isResolved ? null : before.snoozedUntil
  const until = change.snoozedUntil === undefined ? kept : timeOrNull(change.snoozedUntil)
  return { place: until === null ? PLACES.inbox : PLACES.snoozed, snoozedUntil: until }
}

function timeOrNull(time: string | null): number | null {
  return time === null ? null : Date.parse(time)
}

function isSame(from: FieldChange['from'], to: FieldChange['to']): boolean {
  if (!Array.isArray(from) || !Array.isArray(to)) return from === to
  return from.length === to.length && from.every((tag, position) => tag === to[position])
}

/** Stores a ticket, and keeps the rows of its tags equal to it. */
export async function saveChanged(tx: Transaction, { before, after }: Changed): Promise<void> {
  await saveTicket(tx, after)
  const { id: ticketId, tags } = after
  for (const tag of before.tags) {
    if (!tags.includes(tag)) await deleteTag(tx, { orgId: after.orgId, tag, ticketId })
  }
  const row = { ...after, ticketId }
  if (tags.length > 0) await saveTagged(tx, row)
  const added = tags.filter((tag) => !before.tags.includes(tag))
  await insertTags(
    tx,
    added.map((tag) => ({ ...row, tag })),
  )
}

/**
 * What is still possible of actions that were chosen earlier: an agent may be disabled since, and a ticket can have only so
 * many tags.
 */
export function stillPossible(ticket: Ticket, actions: Actions, assignable: Set<string>): Actions {
  const { assignedTo, addTags, ...others } = actions
  const left = MAX_TAGS - ticket.tags.length
  return {
    ...others,
    ...(assignedTo !== undefined && assignable.has(assignedTo ?? '') && { assignedTo }),
    ...(addTags && {
      addTags: cleanTags(addTags)
        .filter((tag) => !ticket.tags.includes(tag))
        .slice(0, left),
    }),
  }
}

export function unknownAgent(pointer = '/assignedTo', wanted = '') {
  const detail = `No enabled agent has this ${wanted.includes('@') ? 'email address' : 'id'}.`
  return invalid([{ pointer, code: 'unknown_agent', detail }])
}
