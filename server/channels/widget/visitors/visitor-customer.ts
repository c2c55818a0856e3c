import { and, eq, or, sql } from 'drizzle-orm'
import {
  addEmail,
  type Customer,
  customerOf,
  recordCustomerMerge,
  recordCustomerUpdate,
  upsertCustomer,
  upsertCustomerByIdentity,
} from '../../../customers/customers.ts'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { customerIdentities, customers } from '../../../database/tables/customers.ts'
import { moves } from '../../../database/tables/moves.ts'
import { organizations } from '../../../database/tables/organizations.ts'
import { tickets } from '../../../database/tables/tickets.ts'
import { visitors, widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { replaceDocuments } from '../../../search/index/documents.ts'
import { giveTickets } from '../../../tickets/give-tickets.ts'
import type { Visitor } from './visitors.ts'

const CHANNEL = 'widget'
/**
 * The customer of a visitor who writes, made for the first message. A signed email address leads to the customer who has
 * it. What a visitor typed leads to no one: such a visitor is a customer of their own, without an address.
 */
export async function customerOfVisitor(deps: Deps, tx: Transaction, visitor: Visitor): Promise<Customer> {
  const { orgId } = visitor
  const customer =
    visitor.userId === null
      ? await typedCustomer(deps, tx, visitor)
      : await signedCustomer(deps, tx, visitor, visitor.userId)
  if (visitor.customerId !== customer.id) {
    await tx
      .update(visitors)
      .set({ customerId: customer.id })
      .where(matches(visitors, { orgId, id: visitor.id }))
  }
  const unverifiedEmail = customer.email === null ? visitor.typedEmail || null : null
  if (unverifiedEmail === customer.unverifiedEmail) return customer
  return changed(deps, tx, orgId, { customer, change: { unverifiedEmail } })
}

async function typedCustomer(
  deps: Deps,
  tx: Transaction,
  { orgId, id, customerId, typedName }: Visitor,
): Promise<Customer> {
  if (customerId !== null) return named(deps, tx, orgId, { id: customerId, typedName })
  const visitorNumber = await nextVisitorNumber(tx, orgId)
  return upsertCustomerByIdentity(deps, tx, orgId, {
    channel: CHANNEL,
    externalId: `visitor:${id}`,
    name: typedName || nameOfVisitor(visitorNumber),
    isNameTyped: typedName !== '',
    visitorNumber,
  })
}

/** The name of a visitor who has given none. */
function nameOfVisitor(number: number): string {
  return `Visitor ${number}`
}

/** Counted per organization, in the unit that makes the customer. */
async function nextVisitorNumber(tx: Transaction, orgId: string): Promise<number> {
  const [organization] = await tx
    .update(organizations)
    .set({ lastVisitor: sql`${organizations.lastVisitor} + 1` })
    .where(eq(organizations.id, orgId))
    .returning({ lastVisitor: organizations.lastVisitor })
  if (!organization) throw new Error(`The organization ${orgId} is missing.`)
  return organization.lastVisitor
}

/** A customer has the first name that their visitor typed. */
async function named(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { id, typedName }: { id: string; typedName: string },
): Promise<Customer> {
  const customer = await customerOf(tx, orgId, id)
  if (typedName === '') return customer
  const [numbered] = await tx
    .select({ visitorNumber: customers.visitorNumber })
    .from(customers)
    .where(matches(customers, { orgId, id }))
  const isNameless =
    numbered?.visitorNumber != null && customer.name === nameOfVisitor(numbered.visitorNumber)
  return isNameless
    ? changed(deps, tx, orgId, { customer, change: { name: typedName, isNameTyped: true } })
    : customer
}

async function signedCustomer(
  deps: Deps,
  tx: Transaction,
  { orgId, verifiedName, verifiedEmail, typedName }: Visitor,
  userId: string,
): Promise<Customer> {
  const externalId = `user:${userId}`
  const [known] = await tx
    .select({ customerId: customerIdentities.customerId })
    .from(customerIdentities)
    .where(matches(customerIdentities, { orgId, channel: CHANNEL, externalId }))
  if (known) return updated(deps, tx, orgId, { id: known.customerId, verifiedName, verifiedEmail })
  if (verifiedEmail === '') {
    const name = verifiedName || typedName || `User ${userId}`.slice(0, 255)
    const isNameTyped = verifiedName === '' && typedName !== ''
    return upsertCustomerByIdentity(deps, tx, orgId, { channel: CHANNEL, externalId, name, isNameTyped })
  }
  const name = verifiedName || undefined
  const customer = await upsertCustomer(deps, tx, orgId, { name, email: verifiedEmail })
  await tx
    .insert(customerIdentities)
    .values({ orgId, channel: CHANNEL, externalId, customerId: customer.id, createdAt: deps.clock.now() })
    .onConflictDoNothing()
  return customer
}

/** Updates a customer with the signed name, and with the signed address if they have none and no one else has it. */
async function updated(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { id, verifiedName, verifiedEmail }: { id: string; verifiedName: string; verifiedEmail: string },
): Promise<Customer> {
  const customer = await customerOf(tx, orgId, id)
  if (verifiedEmail !== '' && customer.email === null)
    await addEmail(deps, tx, orgId, { id, email: verifiedEmail })
  if (verifiedName === '' || verifiedName === customer.name) return customerOf(tx, orgId, id)
  return changed(deps, tx, orgId, { customer, change: { name: verifiedName, isNameTyped: false } })
}

async function changed(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  {
    customer: { id },
    change,
  }: {
    customer: Customer
    change: Partial<Pick<typeof customers.$inferInsert, 'name' | 'isNameTyped' | 'unverifiedEmail'>>
  },
): Promise<Customer> {
  await tx
    .update(customers)
    .set({
      ...change,
      ...(change.name !== undefined && { isNameGuessed: false }),
      version: sql`${customers.version} + 1`,
      updatedAt: deps.clock.now(),
      // Their tickets are soon found by the new name.
      reindexAfter: '',
    })
    .where(matches(customers, { orgId, id }))
  recordCustomerUpdate(deps, tx, orgId, id)
  return customerOf(tx, orgId, id)
}

/**
 * Moves the conversations that a visitor opened before the website signed them in to the user's customer, in the unit
 * that signs them in. Deletes the nameless customer that they had until then, unless agents know more of them: then only
 * this visitor's conversations move.
 */
export async function moveToUser(
  deps: Deps,
  tx: Transaction,
  before: Visitor,
  after: Visitor,
): Promise<void> {
  const { orgId } = after
  const oldId = before.customerId
  if (oldId === null) return
  const customer = await customerOfVisitor(deps, tx, after)
  if (customer.id === oldId) return
  const from = await customerOf(tx, orgId, oldId)
  const isKept = await isKnownToAgents(tx, orgId, from)
  const inConversation = sql`${tickets.id} in (select ${widgetConversations.ticketId} from ${widgetConversations}
    where ${widgetConversations.orgId} = ${orgId} and ${widgetConversations.visitorId} = ${before.id})`
  const which = isKept ? inConversation : undefined
  await giveTickets(deps, tx, orgId, { from, into: customer, now: deps.clock.now(), which })
  // They may be new, and have no ticket that names them.
  recordCustomerUpdate(deps, tx, orgId, customer.id)
  if (isKept) return
  await tx.delete(customerIdentities).where(matches(customerIdentities, { orgId, customerId: oldId }))
  await tx.delete(customers).where(matches(customers, { orgId, id: oldId }))
  await replaceDocuments(tx, orgId, [{ ticketId: oldId, words: undefined }])
  recordCustomerMerge(deps, tx, orgId, { from: oldId, into: customer.id })
}

/** An agent has given them an address or a merge, which a browser that signs in must not take away. */
async function isKnownToAgents(tx: Transaction, orgId: string, { id, email }: Customer): Promise<boolean> {
  if (email !== null) return true
  const isPart = or(eq(moves.fromId, id), eq(moves.intoId, id))
  const merges = await tx
    .select({ id: moves.id })
    .from(moves)
    .where(and(eq(moves.orgId, orgId), isPart))
    .limit(1)
  return merges.length > 0
}
