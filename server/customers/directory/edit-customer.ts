import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { customers, NO_TICKETS } from '../../database/tables/customers.ts'
import { tickets } from '../../database/tables/tickets.ts'
import { visitors } from '../../database/tables/widgets.ts'
import type { Deps } from '../../deps.ts'
import { AppError, type Fault, invalid } from '../../errors.ts'
import { externalIdTaken, type MetadataChange, mergeMetadata } from '../../requests/metadata.ts'
import { cleanLines, isBlank, oneLine } from '../../text/text.ts'
import { requireOutside } from '../../tickets/change-customer.ts'
import { emailsOf, replaceEmails } from '../customer-emails.ts'
import { type CustomerRow, ownerOf, recordCustomerUpdate, requireCustomer } from '../customers.ts'
import { findByExternalId, requireCustomerMatch } from '../shown-customers.ts'

/** Addresses that an agent can give a customer. A merge can leave one with more. */
const MAX_EMAILS = 20

/** What agents change of a customer. Absent fields stay. */
interface CustomerFields {
  name?: string | undefined
  /** All of them, the first one first. */
  emails?: string[] | undefined
  company?: string | undefined
  phone?: string | undefined
  note?: string | undefined
}

/** The same of integrations. */
export interface CustomerChange extends CustomerFields {
  /** The main address, in place of the one that they have. Not beside `emails`. */
  email?: string | undefined
  externalId?: string | null | undefined
  metadata?: MetadataChange | undefined
}

/** Makes a customer who hasn't written yet. Without a name, they get the part of the address before the `@`. Throws as editing does. */
export async function createCustomer(deps: Deps, orgId: string, fields: CustomerFields): Promise<string> {
  return deps.database.write(orgId, (tx) => insertCustomer(deps, tx, orgId, fields))
}

async function insertCustomer(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { email, externalId = null, metadata, ...fields }: CustomerChange,
): Promise<string> {
  const { emails = email === undefined ? [] : [email], name = '', ...rest } = cleaned(fields)
  const [first = ''] = emails
  const shown = name || first.slice(0, Math.max(first.lastIndexOf('@'), 0))
  if (isBlank(shown)) {
    throw invalid([{ pointer: '/name', code: 'required', detail: 'Add a name or an email address.' }])
  }
  const id = deps.newId('usr')
  await requireFree(deps, tx, orgId, { emails, before: [], pointerOf: pointersOf({ email }) })
  const now = deps.clock.now()
  await tx.insert(customers).values({
    id,
    orgId,
    name: shown,
    isNameGuessed: name === '',
    ...rest,
    externalId,
    metadata: mergeMetadata(null, metadata),
    reindexAfter: NO_TICKETS,
    createdAt: now,
    updatedAt: now,
  })
  await replaceEmails(tx, orgId, { id, emails })
  recordCustomerUpdate(deps, tx, orgId, id)
  return id
}

interface CustomerEdit {
  id: string
  change: CustomerChange
  ifMatch?: string | undefined
}

/**
 * Changes what agents know of a customer. All their tickets are soon found by it. A change without effect records nothing.
 * Throws 404; 400 for an address that can't be a customer's; 409 when another customer has an address or the external id,
 * and when email tickets would be left without an address. With `ifMatch` it throws 412 unless that is the customer's
 * current ETag.
 */
export async function editCustomer(
  deps: Deps,
  orgId: string,
  { id, change, ifMatch }: CustomerEdit,
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const customer = await requireCustomer(tx, orgId, id)
    requireCustomerMatch(customer, ifMatch)
    await changeRow(deps, tx, customer, change)
  })
}

/**
 * Changes the customer with an id of another system. If no one has it, it is given to the customer with the address, or
 * to a new one. Throws as editing does, and 409 when the customer with the address has another external id.
 */
export async function putCustomer(
  deps: Deps,
  orgId: string,
  { externalId, change }: { externalId: string; change: CustomerChange },
): Promise<{ id: string; isNew: boolean }> {
  return deps.database.write(orgId, async (tx) => {
    const id =
      (await findByExternalId(tx, orgId, externalId)) ??
      (await findByAddress(tx, orgId, change.email ?? change.emails?.[0]))
    if (id === undefined) {
      return { id: await insertCustomer(deps, tx, orgId, { ...change, externalId }), isNew: true }
    }
    const customer = await requireCustomer(tx, orgId, id)
    // One who was merged into this customer may have it.
    const own = customer.externalId === null ? { externalId } : {}
    await changeRow(deps, tx, customer, { ...change, ...own })
    return { id, isNew: false }
  })
}

/** One without an external id. */
async function findByAddress(
  tx: Transaction,
  orgId: string,
  email: string | undefined,
): Promise<string | undefined> {
  const owner = email === undefined ? undefined : await ownerOf(tx, orgId, email)
  if (!owner) return undefined
  const [known] = await tx
    .select({ externalId: customers.externalId })
    .from(customers)
    .where(matches(customers, { orgId, id: owner.id }))
  return known?.externalId === null ? owner.id : undefined
}

/** Changes a customer whose row is locked. */
async function changeRow(
  deps: Deps,
  tx: Transaction,
  customer: CustomerRow,
  { email, metadata, externalId, ...change }: CustomerChange,
): Promise<void> {
  const { orgId, id } = customer
  const { emails, ...fields } = cleaned(change)
  const hasEmails = await changeEmails(deps, tx, orgId, { customer, emails, email: email?.trim() })
  const changed = {
    ...fields,
    ...(externalId !== undefined && { externalId }),
    ...(metadata && { metadata: mergeMetadata(customer.metadata, metadata) }),
  }
  const before: Record<string, unknown> = customer
  if (!hasEmails && Object.entries(changed).every(([name, value]) => Bun.deepEquals(value, before[name])))
    return
  if (externalId != null && externalId !== customer.externalId)
    await freeExternalId(tx, orgId, { id, externalId })
  const hasName = fields.name !== undefined && fields.name !== customer.name
  await tx
    .update(customers)
    .set({
      ...changed,
      ...(hasName && { isNameGuessed: false, isNameTyped: false }),
      version: sql`${customers.version} + 1`,
      updatedAt: deps.clock.now(),
      reindexAfter: '',
    })
    .where(matches(customers, { orgId, id }))
  recordCustomerUpdate(deps, tx, orgId, id)
}

/** Takes an external id from those who were merged into the customer. Throws 409 if it is another customer's. */
async function freeExternalId(
  tx: Transaction,
  orgId: string,
  { id, externalId }: { id: string; externalId: string },
): Promise<void> {
  const owner = await findByExternalId(tx, orgId, externalId)
  if (owner === undefined) return
  if (owner !== id) throw externalIdTaken('customer', owner)
  await tx.update(customers).set({ externalId: null }).where(matches(customers, { orgId, externalId }))
}

function cleaned({ name, emails, company, phone, note }: CustomerFields): CustomerFields {
  return {
    ...(name !== undefined && { name: oneLine(name) }),
    ...(emails && { emails: emails.map((email) => email.trim()) }),
    ...(company !== undefined && { company: oneLine(company) }),
    ...(phone !== undefined && { phone: oneLine(phone) }),
    ...(note !== undefined && { note: cleanLines(note).trimEnd() }),
  }
}

/** Returns whether they were others. */
async function changeEmails(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { customer, emails, email }: { customer: CustomerRow } & Pick<CustomerChange, 'emails' | 'email'>,
): Promise<boolean> {
  const { id } = customer
  if (emails === undefined && email === undefined) return false
  const before = await emailsOf(tx, orgId, customer)
  const after = emails ?? (email === undefined ? before : withMain(before, email))
  if (Bun.deepEquals(after, before)) return false
  await requireFree(deps, tx, orgId, {
    emails: after,
    before,
    customerId: id,
    pointerOf: pointersOf({ email }),
  })
  if (after.length === 0 && before.length > 0) await requireNoMail(deps, tx, orgId, id)
  await replaceEmails(tx, orgId, { id, emails: after })
  const unverifiedEmail = after.length > 0 ? null : await typedEmail(tx, orgId, id)
  const isNameTyped = customer.isNameTyped && after.length === 0
  await tx.update(customers).set({ unverifiedEmail, isNameTyped }).where(matches(customers, { orgId, id }))
  return true
}

/** In place of the main address. One that they have already changes places with it. */
function withMain([main, ...others]: string[], email: string): string[] {
  const isIt = (other: string) => other.toLowerCase() === email.toLowerCase()
  if (main === undefined || isIt(main) || !others.some(isIt)) return [email, ...others]
  return [email, ...others.map((other) => (isIt(other) ? main : other))]
}

/** Where the address at a place in the list came from. */
function pointersOf({ email }: Pick<CustomerChange, 'email'>): (place: number) => string {
  return (place) => (email === undefined ? `/emails/${place}` : '/email')
}

interface WantedEmails {
  emails: string[]
  before: string[]
  customerId?: string
  pointerOf: (place: number) => string
}

/** Checks the addresses that the customer doesn't have yet. */
async function requireFree(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { emails, before, customerId, pointerOf }: WantedEmails,
): Promise<void> {
  const faults: Fault[] = []
  const known = new Set(before.map((email) => email.toLowerCase()))
  const keys = new Set<string>()
  for (const [place, email] of emails.entries()) {
    const pointer = pointerOf(place)
    const key = email.toLowerCase()
    if (keys.has(key)) {
      faults.push({ pointer, code: 'repeated', detail: `${email} is in the list twice.` })
    } else if (!known.has(key)) await requireOutside(deps, tx, orgId, email, pointer)
    keys.add(key)
    const owner = known.has(key) ? undefined : await ownerOf(tx, orgId, email)
    if (owner && owner.id !== customerId) throw emailTaken(email, owner)
  }
  if (emails.length > MAX_EMAILS && emails.length > before.length) {
    const detail = `A customer can have at most ${MAX_EMAILS} addresses.`
    faults.push({ pointer: '/emails', code: 'too_many', detail })
  }
  if (faults.length > 0) throw invalid(faults)
}

/** Answers to these tickets would have nowhere to go. */
async function requireNoMail(deps: Deps, tx: Transaction, orgId: string, id: string): Promise<void> {
  const byAddress = deps.channels.all.filter(({ isByAddress }) => isByAddress).map(({ kind }) => kind)
  const [ticket] = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(eq(tickets.orgId, orgId), eq(tickets.customerId, id), inArray(tickets.channel, byAddress)))
    .limit(1)
  if (!ticket) return
  const detail = 'This customer has tickets by email or API, so they need an address. Add another one first.'
  throw new AppError(409, 'email_required', detail)
}

/** What their visitor typed into the widget, as long as they have no address. */
async function typedEmail(tx: Transaction, orgId: string, id: string): Promise<string | null> {
  const [typed] = await tx
    .select({ email: sql<string | null>`max(${visitors.typedEmail})` })
    .from(visitors)
    .where(matches(visitors, { orgId, customerId: id }))
  return typed?.email || null
}

function emailTaken(email: string, { id, name }: { id: string; name: string }): AppError {
  const detail = `${name} has the address ${email}. To have one customer with both, merge the two.`
  return new AppError(409, 'email_taken', detail, { id })
}
