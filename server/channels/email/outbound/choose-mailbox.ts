import { matches } from '../../../database/matches.ts'
import { tickets } from '../../../database/tables/tickets.ts'
import type { Deps } from '../../../deps.ts'
import { invalid } from '../../../errors.ts'
import { recordEvents } from '../../../events/events.ts'
import { recordActivities } from '../../../tickets/activities.ts'
import { requireTicket, touchTags, touchTicket } from '../../../tickets/queries.ts'
import { findMailboxes } from './queries.ts'

/**
 * Sends the answers to a ticket from this mailbox from now on, whoever writes them and wherever. Throws 404, and 400 for
 * a mailbox that isn't connected.
 */
export async function chooseMailbox(
  deps: Deps,
  orgId: string,
  { ticketId, mailboxId }: { ticketId: string; mailboxId: string },
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    const mailboxes = await findMailboxes(tx, { orgId })
    const chosen = mailboxes.find(({ id }) => id === mailboxId)
    if (!chosen) {
      const detail = 'There is no mailbox with this id.'
      throw invalid([{ pointer: '/mailboxId', code: 'unknown_mailbox', detail }])
    }
    if (ticket.mailboxId === mailboxId) return
    const now = deps.clock.now()
    const [touched = ticket] = await touchTicket(tx, { orgId, id: ticketId, updatedAt: now })
    await touchTags(tx, touched)
    await tx
      .update(tickets)
      .set({ mailboxId })
      .where(matches(tickets, { orgId, id: ticketId }))
    const from = mailboxes.find(({ id }) => id === ticket.mailboxId)?.address ?? ''
    const changes = [{ field: 'mailbox' as const, from, to: chosen.address }]
    await recordActivities(deps, tx, orgId, { done: [{ ticketId, changes }], now })
    recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt: now, changes: {} }])
  })
}
