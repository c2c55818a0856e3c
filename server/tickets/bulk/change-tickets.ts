import type { Deps } from '../../deps.ts'
import { isId } from '../../ids.ts'
import { findTicket, lockTicket, type Ticket } from '../queries.ts'
import { requireSnoozable } from '../snooze/snooze.ts'
import {
  type Changed,
  changeRow,
  type InboxChange,
  lockAssignees,
  recordChanges,
  wantedTicket,
} from '../update-ticket.ts'

/** Tickets in one unit, so that no other write waits long. */
const SLICE = 100

interface ChangedTickets {
  /** As they were before the change, in the order of the items. */
  found: Ticket[]
  /** Ids that do not exist. */
  missing: string[]
  /** Ids that were not changed: their slice failed, or came after one that did. */
  rest: string[]
}

/**
 * Changes many tickets as `updateTicket` does, a slice in each unit. Throws 400 before it changes any. If a later slice
 * fails anyway, the finished ones are returned, so that they can be undone, and the ids of the others in `rest`. A
 * ticket that is listed twice is changed twice.
 */
export async function changeTickets(
  deps: Deps,
  orgId: string,
  items: { id: string; change: InboxChange }[],
): Promise<ChangedTickets> {
  if (items.length > SLICE) await refuseImpossible(deps, orgId, items)
  const before = new Map<string, Ticket>()
  let done = 0
  try {
    for (; done < items.length; done += SLICE) {
      for (const ticket of await changeSlice(deps, orgId, items.slice(done, done + SLICE))) {
        if (!before.has(ticket.id)) before.set(ticket.id, ticket)
      }
    }
  } catch (error) {
    if (done === 0) throw error
    deps.log.warn('bulk_cut_short', { orgId, done, error })
  }
  const ids = idsOf(items.slice(0, done))
  return {
    found: ids.flatMap((id) => before.get(id) ?? []),
    missing: ids.filter((id) => !before.has(id)),
    rest: idsOf(items.slice(done)),
  }
}

function idsOf(items: { id: string }[]): string[] {
  return [...new Set(items.map(({ id }) => id))]
}

/** Checks all changes first: an invalid one in a later slice would leave the earlier ones changed. */
async function refuseImpossible(
  deps: Deps,
  orgId: string,
  items: { id: string; change: InboxChange }[],
): Promise<void> {
  const changes = items.map(({ change }) => change)
  for (const change of changes) requireSnoozable(change, deps.clock.now())
  const assignable = await deps.database.write(orgId, (tx) => lockAssignees(tx, orgId, changes))
  for (const { id, change } of items) {
    const [ticket] = isId('tkt', id) ? await findTicket(deps.database.read, { orgId, id }) : []
    if (ticket) wantedTicket(ticket, change, assignable)
  }
}

/** Locks the rows in the order of their ids, so that two slices never wait for each other. */
function changeSlice(
  deps: Deps,
  orgId: string,
  items: { id: string; change: InboxChange }[],
): Promise<Ticket[]> {
  const inOrder = items
    .filter(({ id }) => isId('tkt', id))
    .sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
  return deps.database.write(orgId, async (tx) => {
    const changes = inOrder.map(({ change }) => change)
    const assignable = await lockAssignees(tx, orgId, changes)
    const now = deps.clock.now()
    const found: Ticket[] = []
    const done: Changed[] = []
    for (const { id, change } of inOrder) {
      const [before] = await lockTicket(tx, { orgId, id })
      // One that was merged meanwhile is in no list anymore.
      if (!before || before.mergedInto !== null) continue
      found.push(before)
      const changed = await changeRow(deps, tx, before, { change, assignable, now })
      if (changed) done.push(changed)
    }
    await recordChanges(deps, tx, orgId, { done, now })
    return found
  })
}
