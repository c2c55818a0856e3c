import { and, eq, isNotNull } from 'drizzle-orm'
import {
  type CustomerRow,
  recordCustomerMerge,
  recordCustomerUpdate,
  requireCustomer,
} from '../customers/customers.ts'
import type { AlsoSave, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import type { MergedCustomer } from '../database/tables/moves.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { joinMetadata } from '../requests/metadata.ts'
import { setAuthor, writerColumns, writtenFrom } from '../tickets/change-customer.ts'
import { giveTickets } from '../tickets/give-tickets.ts'
import { giveRows, mergedCustomer, saveCustomer } from './customer-rows.ts'
import { lockPair } from './lock-pair.ts'
import { requireFewMoves } from './move-limit.ts'
import { insertMovedRows, insertMoves, type Move, newMove } from './moved-rows.ts'

/** Changed in one unit, which other requests wait for: some seconds. */
const MAX_TICKETS = 10_000

/**
 * Merges a customer into another one, who gets their tickets, addresses, identities and visitors, and what is known of them
 * where nothing is known of the other one. Throws 404, 400 for a customer and themselves, 409 for one with more than
 * 10,000 tickets, and 429 after 60 merges in a minute.
 */
export async function mergeCustomers(
  deps: Deps,
  orgId: string,
  { from, into }: { from: string; into: string },
  alsoSave?: AlsoSave<Move>,
): Promise<Move> {
  return deps.database.write(orgId, async (tx) => {
    const way = { orgId, from, into }
    for (const { erasure } of deps.channels.all) {
      for (const customerId of [from, into].sort()) await erasure?.lockCustomer?.(tx, { orgId, customerId })
    }
    const pair = await lockPair({ from, into }, (id) => requireCustomer(tx, orgId, id))
    if (from === into) {
      const detail = 'Name another customer than the one that stays.'
      throw invalid([{ pointer: '/from', code: 'same_customer', detail }])
    }
    await requireFewMoves(deps, tx, orgId)
    await requireFewTickets(tx, way)
    const now = deps.clock.now()
    const move = newMove(deps, orgId, { kind: 'customer', fromId: from, intoId: into })
    await insertMoves(tx, [move])
    const done = await joinCustomers(tx, pair, now)
    const ticketIds = await giveTickets(deps, tx, orgId, { ...pair, now })
    const authors = await claimMessages(tx, { orgId, customerId: into, emails: done.into.after.emails })
    const rows = [
      ...(await giveRows(deps, tx, way)).map((row) => ({ ...row, values: null })),
      ...ticketIds.map((rowId) => ({ kind: 'ticket', rowId, values: null })),
      ...authors.map(({ id, ...author }) => ({ kind: 'message', rowId: id, values: { author } })),
      { kind: 'customer', rowId: from, values: { customer: done.from } },
      { kind: 'customer', rowId: into, values: { customer: done.into } },
    ]
    await insertMovedRows(
      tx,
      rows.map((row) => ({ orgId, moveId: move.id, ...row })),
    )
    await alsoSave?.(tx, move)
    recordCustomerMerge(deps, tx, orgId, { from, into })
    recordCustomerUpdate(deps, tx, orgId, into)
    return move
  })
}

interface Pair {
  from: CustomerRow
  into: CustomerRow
}

async function requireFewTickets(
  tx: Transaction,
  { orgId, from }: { orgId: string; from: string },
): Promise<void> {
  const found = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(eq(tickets.orgId, orgId), eq(tickets.customerId, from)))
    .limit(MAX_TICKETS + 1)
  if (found.length <= MAX_TICKETS) return
  const detail = `This customer has more than ${MAX_TICKETS.toLocaleString('en')} tickets. Merge the other one into them instead.`
  throw new AppError(409, 'too_many_tickets', detail)
}

type Changed = Record<'before' | 'after', MergedCustomer>

/** The one that stays has the addresses of both, their own first, and keeps what is known of them. */
async function joinCustomers(
  tx: Transaction,
  { from, into }: Pair,
  now: number,
): Promise<{ from: Changed; into: Changed }> {
  const { orgId } = into
  const [gone, stays] = [await mergedCustomer(tx, orgId, from), await mergedCustomer(tx, orgId, into)]
  const emails = [...stays.emails, ...gone.emails]
  const after = {
    emails,
    company: stays.company || gone.company,
    phone: stays.phone || gone.phone,
    metadata: joinMetadata(stays.metadata ?? null, gone.metadata ?? null),
    note: [stays.note, gone.note].filter((note) => note !== '').join('\n\n'),
    unverifiedEmail: emails.length > 0 ? null : (stays.unverifiedEmail ?? gone.unverifiedEmail),
    isNameTyped: stays.isNameTyped && emails.length === 0,
  }
  const left = { ...gone, emails: [] }
  await saveCustomer(tx, { orgId, id: from.id, now }, { ...left, mergedInto: into.id })
  await saveCustomer(tx, { orgId, id: into.id, now }, { ...after, mergedInto: null })
  return { from: { before: gone, after: left }, into: { before: stays, after } }
}

/** What one of the two wrote as a participant in a ticket of the other is now the customer's. Returns how it was. */
async function claimMessages(
  tx: Transaction,
  { orgId, customerId, emails }: { orgId: string; customerId: string; emails: string[] },
) {
  const isTheirMail = writtenFrom(emails)
  const written = await tx
    .select(writerColumns)
    .from(messages)
    .innerJoin(tickets, eq(tickets.id, messages.ticketId))
    .where(
      and(
        eq(tickets.customerId, customerId),
        matches(messages, { orgId, author: 'participant' }),
        isNotNull(messages.email),
      ),
    )
  const theirs = written.filter(({ email }) => email && isTheirMail(email))
  await setAuthor(tx, theirs, { author: 'customer', authorName: null })
  return theirs.map(({ id, author, authorName }) => ({ id, author, authorName }))
}
