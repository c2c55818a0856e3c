import type { Deps } from '../../deps.ts'
import { isId } from '../../ids.ts'
import {
  type Changed,
  changeRow,
  type InboxChange,
  lockAssignees,
  recordChanges,
  wantedTicket,
} from '../change-ticket.ts'
import { findTicket, lockTicket, type Ticket } from '../queries.ts'

/** Tickets in one unit: few enough that nobody waits for it. */
const SLICE = 100

export interface ChangedTickets {
  /** Each as it was before, in the order given. */
  found: Ticket[]
  /** Ids that are not there. */
  missing: string[]
  /** Ids of the slices that were not begun or failed. */
  rest: string[]
}

/**
 * Changes many tickets by the rules of `updateTicket`, a slice in each unit. Throws 400 before it has changed any. When
 * a later slice fails all the same, what was done is answered, for it can be taken back, with the rest: whoever asks
 * for that alone is told why. A ticket named twice is changed twice.
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

/** What is refused in a later slice would leave the first ones changed. */
async function refuseImpossible(
  deps: Deps,
  orgId: string,
  items: { id: string; change: InboxChange }[],
): Promise<void> {
  const changes = items.map(({ change }) => change)
  const assignable = await deps.database.write((tx) => lockAssignees(tx, orgId, changes))
  for (const { id, change } of items) {
    const [ticket] = isId('tkt', id) ? await findTicket(deps.database.read, { orgId, id }) : []
    if (ticket) wantedTicket(ticket, change, assignable)
  }
}

/** Rows are taken by id, so that two slices never wait for each other. */
function changeSlice(
  deps: Deps,
  orgId: string,
  items: { id: string; change: InboxChange }[],
): Promise<Ticket[]> {
  const inOrder = items
    .filter(({ id }) => isId('tkt', id))
    .sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
  return deps.database.write(async (tx) => {
    const changes = inOrder.map(({ change }) => change)
    const assignable = await lockAssignees(tx, orgId, changes)
    const now = deps.clock.now()
    const found: Ticket[] = []
    const done: Changed[] = []
    for (const { id, change } of inOrder) {
      const [before] = await lockTicket(tx, { orgId, id })
      if (!before) continue
      found.push(before)
      const changed = await changeRow(deps, tx, before, { change, assignable, now })
      if (changed) done.push(changed)
    }
    await recordChanges(deps, tx, orgId, { done, now })
    return found
  })
}
