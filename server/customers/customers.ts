import { and, eq, isNull, sql } from 'drizzle-orm'
import type { ChannelKind } from '../channels/kinds.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { insertOf, integer, statement, text } from '../database/statement.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'

export interface Customer {
  id: string
  name: string
  email: string | null
  /** A visitor typed the name, and no one has checked it. */
  isNameTyped: boolean
  /** The same of an address. Null once the customer has one. */
  unverifiedEmail: string | null
  version: number
}

/** A customer by their address. */
interface GivenCustomer {
  name: string | undefined
  email: string
  /**
   * Anyone can write any name into a mail or a form. Such a name is only used while the customer has none: it never
   * replaces a name that `/v1` or an agent gave. Absent means true.
   */
  isNameVerified?: boolean
  /** When a new customer first wrote; now by default. */
  createdAt?: number
}

/**
 * The organization's customer with this address, made when there is none. Addresses are compared without regard to
 * case; a verified name that differs replaces the known one, and all their tickets are soon found by it. Without a name a
 * new customer gets the part before the `@`. Making one records no event: that of the first ticket names them.
 */
export async function upsertCustomer(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { name, email, isNameVerified = true, createdAt }: GivenCustomer,
): Promise<Customer> {
  const known = await ownerOf(tx, orgId, email)
  const now = deps.clock.now()
  if (!known) {
    const made = {
      id: deps.newId('usr'),
      orgId,
      name: name ?? email.slice(0, email.lastIndexOf('@')),
      isNameGuessed: name === undefined,
      email,
      emailKey: email.toLowerCase(),
      createdAt: createdAt ?? now,
      updatedAt: now,
    }
    await insertCustomers(tx, [made])
    return { id: made.id, name: made.name, email, isNameTyped: false, unverifiedEmail: null, version: 1 }
  }
  const { isNameGuessed, ...customer } = known
  const isReplaced = name !== undefined && (isNameVerified || isNameGuessed)
  if (!isReplaced || (name === customer.name && !isNameGuessed)) return customer
  const [renamed] = await rename(tx, { orgId, id: customer.id, name, now })
  if (name !== customer.name) recordCustomerUpdate(deps, tx, orgId, customer.id)
  return renamed ?? customer
}

/** The customer who has an address, as their first or another one. In a unit of the organization, no one else gets it. */
export async function ownerOf(
  on: Reader | Transaction,
  orgId: string,
  email: string,
): Promise<(Customer & { isNameGuessed: boolean }) | undefined> {
  const [owner] = await customerByEmail(on, { orgId, emailKey: email.toLowerCase() })
  return owner
}

/** Records that something changed that `/v1/customers` shows, in the unit that changes it. */
export function recordCustomerUpdate(deps: Deps, tx: Transaction, orgId: string, customerId: string): void {
  const createdAt = deps.clock.now()
  recordEvents(deps, tx, orgId, [{ type: 'customer.updated', ticketId: '', customerId, createdAt }])
}

/** Records that a customer's tickets and addresses are another one's now. */
export function recordCustomerMerge(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { from: customerId, into }: { from: string; into: string },
): void {
  const createdAt = deps.clock.now()
  const event = { type: 'customer.merged' as const, ticketId: '', customerId, createdAt, changes: { into } }
  recordEvents(deps, tx, orgId, [event])
}

/** How a channel other than email knows a customer: a visitor of the widget, a user of a Telegram bot. */
interface Identity {
  channel: ChannelKind
  externalId: string
  /** As the channel gives it. Doesn't replace a known name. */
  name: string
  isNameTyped?: boolean
  visitorNumber?: number
}

/** The organization's customer that a channel knows by this id, made when there is none. They may have no address. */
export async function upsertCustomerByIdentity(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { channel, externalId, ...described }: Identity,
): Promise<Customer> {
  const now = deps.clock.now()
  const id = deps.newId('usr')
  await tx.insert(customers).values({ id, orgId, ...described, createdAt: now, updatedAt: now })
  // If two units see the identity for the first time, the insert decides which one creates it.
  const [known] = await tx
    .insert(customerIdentities)
    .values({ orgId, channel, externalId, customerId: id, createdAt: now })
    .onConflictDoUpdate({
      target: [customerIdentities.orgId, customerIdentities.channel, customerIdentities.externalId],
      set: { externalId },
    })
    .returning({ customerId: customerIdentities.customerId })
  const customerId = known?.customerId ?? id
  if (customerId !== id) await tx.delete(customers).where(matches(customers, { orgId, id }))
  return customerOf(tx, orgId, customerId)
}

/**
 * Gives an address to a customer without one. Returns whether it did: not if another customer has the address. All their
 * tickets are soon found by it.
 */
export async function addEmail(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { id, email }: { id: string; email: string },
): Promise<boolean> {
  const emailKey = email.toLowerCase()
  if (await ownerOf(tx, orgId, email)) return false
  const changed = await tx
    .update(customers)
    .set({
      email,
      emailKey,
      isNameTyped: false,
      unverifiedEmail: null,
      version: sql`${customers.version} + 1`,
      updatedAt: deps.clock.now(),
      reindexAfter: '',
    })
    .where(and(matches(customers, { orgId, id }), isNull(customers.email)))
    .returning({ id: customers.id })
  if (changed.length === 0) return false
  recordCustomerUpdate(deps, tx, orgId, id)
  return true
}

async function findCustomer(tx: Transaction, orgId: string, id: string): Promise<Customer | undefined> {
  const [customer] = await customerById(tx, { orgId, id })
  return customer
}

/** A customer of a ticket that is being changed. */
export async function customerOf(tx: Transaction, orgId: string, id: string): Promise<Customer> {
  const customer = await findCustomer(tx, orgId, id)
  if (!customer) throw new Error(`The customer ${id} is missing.`)
  return customer
}

export type CustomerRow = typeof customers.$inferSelect

/** Locks the row of a customer who wasn't merged into another. Throws 404. */
export async function requireCustomer(tx: Transaction, orgId: string, id: string): Promise<CustomerRow> {
  const [customer] = isId('usr', id)
    ? await tx
        .update(customers)
        .set({ version: sql`${customers.version}` })
        .where(and(matches(customers, { orgId, id }), isNull(customers.mergedInto)))
        .returning()
    : []
  if (!customer) throw notFound('customer')
  return customer
}

/** What the tickets of a customer show of them. */
export const customerColumns = {
  id: customers.id,
  name: customers.name,
  email: customers.email,
  isNameTyped: customers.isNameTyped,
  unverifiedEmail: customers.unverifiedEmail,
  version: customers.version,
}

const customerByEmail = statement(
  'customer_by_email',
  { orgId: text, emailKey: text },
  (on: Reader | Transaction, p) => {
    const first = sql`select id from customers where org_id = ${p.orgId} and email_key = ${p.emailKey}`
    const other = sql`select customer_id from customer_emails where org_id = ${p.orgId} and email_key = ${p.emailKey}`
    return on
      .select({ ...customerColumns, isNameGuessed: customers.isNameGuessed })
      .from(customers)
      .where(eq(customers.id, sql`coalesce((${first}), (${other}))`))
  },
)

const insertCustomers = insertOf(customers, {
  columns: ['id', 'orgId', 'name', 'isNameGuessed', 'email', 'emailKey', 'createdAt', 'updatedAt'],
})

/** Gives a name that is not a guess, and may be the same one. */
const rename = statement('customers_rename', { orgId: text, id: text, name: text, now: integer }, (tx, p) => {
  const isSame = sql`${customers.name} = ${p.name}`
  return tx
    .update(customers)
    .set({
      name: p.name,
      isNameGuessed: false,
      version: sql`${customers.version} + case when ${isSame} then 0 else 1 end`,
      updatedAt: sql`case when ${isSame} then ${customers.updatedAt} else ${p.now} end`,
      reindexAfter: sql`case when ${isSame} then ${customers.reindexAfter} else '' end`,
    })
    .where(matches(customers, { orgId: p.orgId, id: p.id }))
    .returning(customerColumns)
})

const customerById = statement('customers_by_id', { orgId: text, id: text }, (tx, p) =>
  tx.select(customerColumns).from(customers).where(matches(customers, p)),
)
