import type { ReplyDestination, SendingTicket } from '../../channels/channel.ts'
import type { Reader } from '../../database/database.ts'
import type { Deps } from '../../deps.ts'
import { wayOf } from './plan-sends.ts'

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
