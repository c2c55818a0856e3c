import { inArray } from 'drizzle-orm'
import {
  type CustomerRow,
  customerOf,
  recordCustomerUpdate,
  requireCustomer,
} from '../customers/customers.ts'
import { survivorOf } from '../customers/shown-customers.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import { type MergedCustomer, movedRows } from '../database/tables/moves.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { giveTickets } from '../tickets/give-tickets.ts'
import { listedIn, mergedCustomer, returnRows, saveCustomer } from './customer-rows.ts'
import type { Move } from './moved-rows.ts'

/**
 * Gives a merged customer back what went with them, from the one who has it now, also after later merges. What came since,
 * and what someone has changed since, stays.
 */
export async function unmergeCustomers(deps: Deps, tx: Transaction, move: Move): Promise<void> {
  const { orgId, id: moveId, fromId, intoId } = move
  const holder = await requireCustomer(tx, orgId, await survivorOf(tx, orgId, intoId))
  const now = deps.clock.now()
  const changed = await tx.select().from(movedRows).where(matches(movedRows, { orgId, moveId }))
  const valuesOf = (id: string) =>
    changed.find(({ kind, rowId }) => kind === 'customer' && rowId === id)?.values?.customer
  const [home, stays] = [valuesOf(fromId), valuesOf(intoId)]
  if (!home || !stays) throw new Error(`The move ${moveId} lists no customers.`)
  await separate(tx, {
    holder,
    home: home.before,
    stays: holder.id === intoId ? stays : undefined,
    fromId,
    now,
  })
  const into = await customerOf(tx, orgId, fromId)
  for (const ids of await listedIn(tx, { orgId, moveId, kind: 'ticket' })) {
    await giveTickets(deps, tx, orgId, { from: holder, into, now, which: inArray(tickets.id, ids) })
  }
  await returnRows(deps, tx, { orgId, moveId, from: holder.id, into: fromId })
  for (const { kind, rowId, values } of changed) {
    if (kind !== 'message' || !values?.author) continue
    await tx
      .update(messages)
      .set(values.author)
      .where(matches(messages, { orgId, id: rowId, author: 'customer' }))
  }
  for (const id of [fromId, holder.id]) recordCustomerUpdate(deps, tx, orgId, id)
}

interface Separation {
  holder: CustomerRow
  home: MergedCustomer
  /** How the one that stayed was before and after, unless they were merged themselves. */
  stays: Record<'before' | 'after', MergedCustomer> | undefined
  fromId: string
  now: number
}

/** Takes the addresses back that the holder still has, and what they had from the other one. */
async function separate(tx: Transaction, { holder, home, stays, fromId, now }: Separation): Promise<void> {
  const { orgId, id } = holder
  const current = await mergedCustomer(tx, orgId, holder)
  const isTheirs = new Set(current.emails.map((email) => email.toLowerCase()))
  const back = home.emails.filter((email) => isTheirs.has(email.toLowerCase()))
  const taken = new Set(back.map((email) => email.toLowerCase()))
  const left = current.emails.filter((email) => !taken.has(email.toLowerCase()))
  const restored = stays ? restore(current, stays) : current
  // Theirs go first: an address is one customer's at a time.
  await saveCustomer(tx, { orgId, id, now }, { ...restored, emails: left, mergedInto: null })
  await saveCustomer(tx, { orgId, id: fromId, now }, { ...home, emails: back, mergedInto: null })
}

/** Each column as it was before, if it is as the merge left it. */
function restore(
  current: MergedCustomer,
  { before, after }: Record<'before' | 'after', MergedCustomer>,
): MergedCustomer {
  const same = <Name extends keyof MergedCustomer>(name: Name): MergedCustomer[Name] =>
    Bun.deepEquals(current[name], after[name]) ? before[name] : current[name]
  return {
    ...current,
    company: same('company'),
    phone: same('phone'),
    note: same('note'),
    metadata: same('metadata'),
    unverifiedEmail: same('unverifiedEmail'),
    isNameTyped: same('isNameTyped'),
  }
}
