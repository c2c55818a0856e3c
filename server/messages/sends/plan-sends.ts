import type { Outgoing, PlannedSends, ReplyDestination, SendingTicket, Way } from '../../channels/channel.ts'
import type { SentBy } from '../../channels/kinds.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import type { Deps } from '../../deps.ts'

/**
 * Decides how a message is sent, and freezes its content, so that each attempt sends the same. If there is no way to
 * send it, it fails with the reason: it never waits silently. Call this in the unit that stores the message.
 */
export async function planSends(deps: Deps, tx: Transaction, outgoing: Outgoing): Promise<PlannedSends> {
  const { ticket, customer, kind = 'reply' } = outgoing
  const dependsOnChannel = kind === 'reply' || kind === 'automatic'
  const way = dependsOnChannel
    ? await wayOf(deps, tx, ticket, customer)
    : await deps.channels.byAddress.wayThrough(tx, ticket.orgId, ticket.mailboxId)
  return way.plan(deps, tx, outgoing)
}

/** How the messages of a ticket leave: on the channel where its customer has continued it, or else its own. */
export async function wayOf(
  deps: Deps,
  read: Reader | Transaction,
  ticket: SendingTicket,
  customer: Outgoing['customer'],
): Promise<Way> {
  const own = deps.channels.of(ticket.channel)
  for (const channel of own.canContinueElsewhere ? deps.channels.all : []) {
    const way = await channel.continuedWay?.(read, ticket)
    if (way) return way
  }
  return own.way(deps, read, ticket, customer)
}

/** A message that can't be sent. */
export function failedPlan(reason: string, sentBy: SentBy): PlannedSends {
  return { sending: 'failed', sendError: reason, sentBy, email: null, sends: [] }
}

/** Where a reply to a ticket goes, how long it can be undone, and why it can't leave. */
export async function readDestination(
  deps: Deps,
  read: Reader,
  ticket: SendingTicket,
  customer: { name: string; email: string | null },
): Promise<ReplyDestination> {
  const way = await wayOf(deps, read, ticket, customer)
  const destination = await way.destination(deps, read, ticket, customer)
  // One that can't leave can be undone like an email.
  const channel = way.by === 'nothing' ? deps.channels.byAddress : deps.channels.of(way.by)
  return { by: way.by, ...destination, undoSeconds: await channel.undoSeconds(read, ticket.orgId) }
}
