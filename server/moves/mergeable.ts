import type { Customer } from '../customers/customers.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { PLACES } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { requireNotMerged } from '../tickets/merged.ts'
import type { Ticket } from '../tickets/queries.ts'

/** Two tickets of a merge, and their customers. */
export interface Pair {
  /** The one that goes. */
  from: Ticket
  into: Ticket
  fromCustomer: Customer
  intoCustomer: Customer
}

/** Throws 400 for a ticket and itself, and 409 for two that can't be merged, with the reason. */
export async function requireMergeable(deps: Deps, tx: Transaction, pair: Pair): Promise<void> {
  const { from, into } = pair
  if (from.id === into.id) {
    throw invalid([{ pointer: '/from', code: 'same_ticket', detail: 'Must be another ticket.' }])
  }
  for (const ticket of [into, from]) requireNotMerged(ticket)
  const reason = await reasonAgainst(deps, tx, pair)
  if (reason !== undefined) throw new AppError(409, 'cannot_merge', reason)
}

/**
 * Why two tickets can't be merged, in sentences; undefined if they can. Customers see the whole of a chat, so a chat takes
 * only what the same person wrote and read in the same place.
 */
export async function reasonAgainst(
  deps: Deps,
  read: Reader | Transaction,
  { from, into, fromCustomer, intoCustomer }: Pair,
): Promise<string | undefined> {
  const [before, after] = [deps.channels.of(from.channel), deps.channels.of(into.channel)]
  if (into.place === PLACES.spam && from.place !== PLACES.spam) {
    return 'The other ticket is spam. Take it out of spam first.'
  }
  if (before.isByAddress && after.isByAddress) return undefined
  if (from.customerId !== into.customerId) {
    return `${fromCustomer.name} and ${intoCustomer.name} are two customers, and one would see what the other wrote. If they are one person, merge the customers first.`
  }
  if (before.isByAddress) {
    return `The customer would see these messages in ${after.name}. Merge the other way around: the conversation then continues by email.`
  }
  if (after.isByAddress) {
    if (after === deps.channels.byAddress) return undefined
    return `Answers to a ticket of ${after.name} don't reach the customer in ${before.name}, nor by email.`
  }
  if (before !== after) return `A conversation in ${before.name} can't continue in ${after.name}.`
  const { orgId } = into
  const isOneReader = (await after.isOneReader?.(read, { orgId, ticketIds: [from.id, into.id] })) ?? true
  if (isOneReader) return undefined
  return 'They were written in different browsers, and whoever uses one would see what was written in the other.'
}
