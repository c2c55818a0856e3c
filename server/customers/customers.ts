import { and, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm'
import type { ChannelKind } from '../channels/kinds.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { integer, orNull, statement, text, value } from '../database/statement.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { isOtherEmail, ownerOf } from './customer-emails.ts'

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
  const now = deps.clock.now()
  const given = { givenName: name ?? null, isNameVerified: isNameVerified ? 1 : 0, now }
  const [customer] = await upsert(tx, {
    ...given,
    id: deps.newId('usr'),
    orgId,
    name: name ?? email.slice(0, email.lastIndexOf('@')),
    isNameGuessed: name === undefined,
    email,
    emailKey: email.toLowerCase(),
  })
  if (customer) return customer
  const owner = await ownerOf(tx, orgId, email)
  const [known] = owner ? await nameKnown(tx, { ...given, orgId, id: owner.id }) : []
  if (!known) throw new Error('The customer was neither found nor made.')
  return known
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
  if (await ownerOf(tx, orgId, email)) return false
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
    .where(and(matches(customers, { orgId, id }), isNull(customers.email)))
    .returning({ id: customers.id })
  return changed.length > 0
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

const given = { givenName: orNull(text), isNameVerified: integer, now: integer }

/** Returns nothing for an address that a customer has beside their first. */
const upsert = statement(
  'customers_upsert',
  {
    ...given,
    id: text,
    orgId: text,
    name: text,
    isNameGuessed: value<boolean>(),
    email: text,
    emailKey: text,
  },
  (tx, p) =>
    tx
      .insert(customers)
      .select(
        sql`select ${valuesOf({
          id: p.id,
          orgId: p.orgId,
          name: p.name,
          isNameGuessed: sql`${sql.param(p.isNameGuessed, customers.isNameGuessed)}`,
          email: p.email,
          emailKey: p.emailKey,
          createdAt: p.now,
          updatedAt: p.now,
        })} where not ${isOtherEmail(p.orgId, p.emailKey)}`,
      )
      .onConflictDoUpdate({ target: [customers.orgId, customers.emailKey], set: namedAs(p) })
      .returning(customerColumns),
)

const nameKnown = statement('customers_name_known', { ...given, orgId: text, id: text }, (tx, p) =>
  tx
    .update(customers)
    .set(namedAs(p))
    .where(matches(customers, { orgId: p.orgId, id: p.id }))
    .returning(customerColumns),
)

/** The name that a known customer gets, and what a new name changes. */
function namedAs({ givenName, isNameVerified, now }: Record<keyof typeof given, SQL>) {
  const isReplaced = sql`(${isNameVerified} = 1 or ${customers.isNameGuessed})`
  const name = sql`case when ${isReplaced} then coalesce(${givenName}, ${customers.name}) else ${customers.name} end`
  return {
    name,
    isNameGuessed: sql`${customers.isNameGuessed} and ${givenName} is null`,
    version: sql`${customers.version} + case when ${name} = ${customers.name} then 0 else 1 end`,
    updatedAt: sql`case when ${name} = ${customers.name} then ${customers.updatedAt} else ${now} end`,
    reindexAfter: sql`case when ${name} = ${customers.name} then ${customers.reindexAfter} else '' end`,
  }
}

/** A value for each column of a customer, in their order: the given one or the default. */
function valuesOf(given: Partial<Record<keyof typeof customers.$inferSelect, SQL>>): SQL {
  const columns = Object.entries(getTableColumns(customers))
  const known = new Map<string, SQL>(Object.entries(given))
  const values = columns.map(
    ([name, column]) =>
      known.get(name) ?? (column.hasDefault ? sql`${sql.param(column.default, column)}` : sql`null`),
  )
  return sql.join(values, sql`, `)
}

const customerById = statement('customers_by_id', { orgId: text, id: text }, (tx, p) =>
  tx.select(customerColumns).from(customers).where(matches(customers, p)),
)
