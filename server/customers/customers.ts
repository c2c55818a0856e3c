import { and, isNull, sql } from 'drizzle-orm'
import type { ChannelKind } from '../channels/kinds.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { integer, orNull, statement, text, value } from '../database/statement.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import type { Deps } from '../deps.ts'

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
}

/**
 * The organization's customer with this address, made when there is none. Addresses are compared without regard to
 * case; a verified name that differs replaces the known one, and all their tickets are soon found by it. Without a name a
 * new customer gets the part before the `@`.
 */
export async function upsertCustomer(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { name, email, isNameVerified = true }: GivenCustomer,
): Promise<Customer> {
  const [customer] = await upsert(tx, {
    id: deps.newId('usr'),
    orgId,
    name: name ?? email.slice(0, email.lastIndexOf('@')),
    givenName: name ?? null,
    isNameGuessed: name === undefined,
    isNameVerified: isNameVerified ? 1 : 0,
    email,
    emailKey: email.toLowerCase(),
    now: deps.clock.now(),
  })
  if (!customer) throw new Error('The customer was neither found nor made.')
  return customer
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
  { clock }: Pick<Deps, 'clock'>,
  tx: Transaction,
  orgId: string,
  { id, email }: { id: string; email: string },
): Promise<boolean> {
  const emailKey = email.toLowerCase()
  const isTaken = sql`exists (select 1 from customers other where other.org_id = ${orgId} and other.email_key = ${emailKey})`
  const changed = await tx
    .update(customers)
    .set({
      email,
      emailKey,
      isNameTyped: false,
      unverifiedEmail: null,
      version: sql`${customers.version} + 1`,
      updatedAt: clock.now(),
      reindexAfter: '',
    })
    .where(and(matches(customers, { orgId, id }), isNull(customers.email), sql`not ${isTaken}`))
    .returning({ id: customers.id })
  return changed.length > 0
}

export async function findCustomer(
  tx: Transaction,
  orgId: string,
  id: string,
): Promise<Customer | undefined> {
  const [customer] = await customerById(tx, { orgId, id })
  return customer
}

/** A customer of a ticket that is being changed. */
export async function customerOf(tx: Transaction, orgId: string, id: string): Promise<Customer> {
  const customer = await findCustomer(tx, orgId, id)
  if (!customer) throw new Error(`The customer ${id} is missing.`)
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

const upsert = statement(
  'customers_upsert',
  {
    id: text,
    orgId: text,
    name: text,
    givenName: orNull(text),
    isNameGuessed: value<boolean>(),
    isNameVerified: integer,
    email: text,
    emailKey: text,
    now: integer,
  },
  (tx, p) => {
    const isReplaced = sql`(${p.isNameVerified} = 1 or ${customers.isNameGuessed})`
    const name = sql`case when ${isReplaced} then coalesce(${p.givenName}, ${customers.name}) else ${customers.name} end`
    return tx
      .insert(customers)
      .values({
        id: p.id,
        orgId: p.orgId,
        name: p.name,
        isNameGuessed: p.isNameGuessed,
        email: p.email,
        emailKey: p.emailKey,
        createdAt: p.now,
        updatedAt: p.now,
      })
      .onConflictDoUpdate({
        target: [customers.orgId, customers.emailKey],
        set: {
          name,
          isNameGuessed: sql`${customers.isNameGuessed} and ${p.givenName} is null`,
          version: sql`${customers.version} + case when ${name} = ${customers.name} then 0 else 1 end`,
          updatedAt: sql`case when ${name} = ${customers.name} then ${customers.updatedAt} else excluded.updated_at end`,
          reindexAfter: sql`case when ${name} = ${customers.name} then ${customers.reindexAfter} else '' end`,
        },
      })
      .returning(customerColumns)
  },
)

const customerById = statement('customers_by_id', { orgId: text, id: text }, (tx, p) =>
  tx.select(customerColumns).from(customers).where(matches(customers, p)),
)
