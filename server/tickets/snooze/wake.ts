import type { Transaction } from '../../database/database.ts'
import type { Deps } from '../../deps.ts'
import type { Ticket } from '../queries.ts'
import { changeRow, recordChanges } from '../update-ticket.ts'
import { findSnooze } from './snooze.ts'

/** Ends the snooze of a ticket at its time: it is back on top, and unread. The unit has locked its row. */
export async function wakeTicket(deps: Deps, tx: Transaction, { ticket }: { ticket: Ticket }): Promise<void> {
  if (ticket.snoozedUntil === null) return
  const now = deps.clock.now()
  const change = { snoozedUntil: null }
  const changed = await changeRow(deps, tx, ticket, { change, assignable: new Set(), now, isWoken: true })
  if (changed) await recordChanges(deps, tx, ticket.orgId, { done: [changed], now })
}

/** Whether a reply ends the snooze: anyone's but that of the agent who snoozed the ticket. */
export async function isWokenByReply(
  tx: Transaction,
  ticket: Ticket,
  agentId: string | null | undefined,
): Promise<boolean> {
  if (ticket.snoozedUntil === null) return false
  const [snooze] = await findSnooze(tx, { orgId: ticket.orgId, ticketId: ticket.id })
  return !agentId || snooze?.agentId !== agentId
}
