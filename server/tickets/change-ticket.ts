import type { Transaction } from '../database/database.ts'
import type { FieldChange } from '../database/tables/threads.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { recordActivities } from './activities.ts'
import { moveCounters, sumOfChanges } from './counters.ts'
import { deleteTag, insertTag, lockEnabledAgent, saveTicket, type Ticket, touchTags } from './queries.ts'

/** What to change; what is absent stays. */
export interface TicketChange {
  status?: TicketStatus
  /** Agent id; null or an empty string for nobody. */
  assignedTo?: string | null
  /** Replaces all tags. */
  tags?: string[]
}

/** What only the inbox changes. */
export interface InboxChange extends TicketChange {
  subject?: string
  isSpam?: boolean
  addTags?: string[]
  removeTags?: string[]
}

/** A ticket before and after a change that changed something. */
export interface Changed {
  before: Ticket
  after: Ticket
}

export const MOST_TAGS = 50

/**
 * Takes the rows of the agents that tickets are to be given to, in order, so that nobody disables one meanwhile: the
 * first thing in a unit that assigns. Answers those who are enabled; nobody is always assignable.
 */
export async function lockAssignees(
  tx: Transaction,
  orgId: string,
  changes: TicketChange[],
): Promise<Set<string>> {
  const wanted = new Set(changes.map((change) => change.assignedTo ?? ''))
  const assignable = new Set([''])
  for (const id of [...wanted].sort()) {
    const [agent] = isId('agt', id) ? await lockEnabledAgent(tx, { orgId, id }) : []
    if (agent) assignable.add(id)
  }
  return assignable
}

/**
 * Changes a ticket whose row the unit has, and writes the line of its thread. Answers nothing when it is so already.
 * `recordChanges` follows, once for all tickets of the unit. Spam shows in the inbox only, so it leaves `updatedAt`.
 */
export async function changeRow(
  deps: Deps,
  tx: Transaction,
  before: Ticket,
  { change, assignable, now }: { change: InboxChange; assignable: Set<string>; now: number },
): Promise<Changed | undefined> {
  const wanted = wantedTicket(before, change, assignable)
  const changes = fieldChanges(before, wanted)
  if (changes.length === 0) return undefined
  const isPublic = changes.some(({ field }) => field !== 'spam')
  const updatedAt = isPublic ? now : before.updatedAt
  const after = { ...wanted, version: before.version + 1, updatedAt }
  await saveTicket(tx, { ...after, tags: JSON.stringify(after.tags) })
  if (isPublic) await saveTags(tx, before, after)
  await recordActivities(deps, tx, before.orgId, { done: [{ ticketId: before.id, changes }], now })
  return { before, after }
}

/** Tells the log of the changes and moves the counters: the last things in a unit. */
export async function recordChanges(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { done, now }: { done: Changed[]; now: number },
): Promise<void> {
  if (done.length === 0) return
  await recordEvents(
    deps,
    tx,
    orgId,
    done.map(({ after }) => ({ type: 'ticket.updated', ticketId: after.id, createdAt: now })),
  )
  await moveCounters(tx, orgId, sumOfChanges(done))
}

/** Trimmed, each once, in the order given; case is kept. */
export function cleanTags(tags: string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()))]
}

/** The ticket with the change. Throws 400 when it cannot be so. */
export function wantedTicket(before: Ticket, change: InboxChange, assignable: Set<string>): Ticket {
  const after = {
    ...before,
    status: change.status ?? before.status,
    assignedTo: change.assignedTo === undefined ? before.assignedTo : (change.assignedTo ?? ''),
    tags: changedTags(before.tags, change),
    subject: change.subject ?? before.subject,
    isSpam: change.isSpam ?? before.isSpam,
  }
  if (after.assignedTo !== before.assignedTo && !assignable.has(after.assignedTo)) throw unknownAgent()
  return after
}

function changedTags(before: string[], { tags, addTags = [], removeTags = [] }: InboxChange): string[] {
  const removed = new Set(cleanTags(removeTags))
  const kept = (tags ? cleanTags(tags) : before).filter((tag) => !removed.has(tag))
  const after = [...new Set([...kept, ...cleanTags(addTags)])]
  if (after.length <= MOST_TAGS || after.length <= before.length) return after
  const detail = `A ticket takes at most ${MOST_TAGS} tags.`
  throw invalid([{ pointer: '/addTags', code: 'too_many', detail }])
}

function fieldChanges(before: Ticket, after: Ticket): FieldChange[] {
  const pairs: FieldChange[] = [
    { field: 'status', from: before.status, to: after.status },
    { field: 'assignedTo', from: before.assignedTo, to: after.assignedTo },
    { field: 'tags', from: before.tags, to: after.tags },
    { field: 'subject', from: before.subject, to: after.subject },
    { field: 'spam', from: before.isSpam, to: after.isSpam },
  ]
  return pairs.filter(({ from, to }) => !isSame(from, to))
}

function isSame(from: FieldChange['from'], to: FieldChange['to']): boolean {
  if (!Array.isArray(from) || !Array.isArray(to)) return from === to
  return from.length === to.length && from.every((tag, position) => tag === to[position])
}

async function saveTags(tx: Transaction, before: Ticket, after: Ticket): Promise<void> {
  const { orgId, id: ticketId, createdAt } = before
  const { tags, updatedAt } = after
  for (const tag of before.tags) if (!tags.includes(tag)) await deleteTag(tx, { orgId, tag, ticketId })
  if (tags.length > 0) await touchTags(tx, { orgId, ticketId, updatedAt })
  for (const tag of tags) {
    if (!before.tags.includes(tag)) await insertTag(tx, { orgId, tag, ticketId, createdAt, updatedAt })
  }
}

function unknownAgent() {
  const detail = 'There is no enabled agent with this id.'
  return invalid([{ pointer: '/assignedTo', code: 'unknown_agent', detail }])
}
