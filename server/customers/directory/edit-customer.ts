import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { customers, NO_TICKETS } from '../../database/tables/customers.ts'
import { tickets } from '../../database/tables/tickets.ts'
import { visitors } from '../../database/tables/widgets.ts'
import type { Deps } from '../../deps.ts'
import { AppError, type Fault, invalid } from '../../errors.ts'
import { cleanLines, isBlank, oneLine } from '../../text/text.ts'
import { requireOutside } from '../../tickets/change-customer.ts'
import { emailsOf, ownerOf, replaceEmails } from '../customer-emails.ts'
import { type CustomerRow, recordCustomerUpdate, requireCustomer } from '../customers.ts'

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

/** Makes a customer who hasn't written yet. Without a name, they get the part of the address before the `@`. Throws as editing does. */
export async function createCustomer(deps: Deps, orgId: string, fields: CustomerFields): Promise<string> {
  const { emails = [], name = '', ...rest } = cleaned(fields)
  const [first = ''] = emails
  const shown = name || first.slice(0, Math.max(first.lastIndexOf('@'), 0))
  if (isBlank(shown)) {
    throw invalid([{ pointer: '/name', code: 'required', detail: 'Add a name or an email address.' }])
  }
  const id = deps.newId('usr')
  await deps.database.write(orgId, async (tx) => {
    await requireFree(deps, tx, orgId, { emails, before: [] })
    const now = deps.clock.now()
    await tx.insert(customers).values({
      id,
      orgId,
      name: shown,
      isNameGuessed: name === '',
      ...rest,
      reindexAfter: NO_TICKETS,
      createdAt: now,
      updatedAt: now,
    })
    await replaceEmails(tx, orgId, { id, emails })
    recordCustomerUpdate(deps, tx, orgId, id)
  })
  return id
}

/**
 * Changes what agents know of a customer. All their tickets are soon found by it. A change without effect records nothing.
 * Throws 404; 400 for an address that can't be a customer's; 409 when another customer has an address, and when email
 * tickets would be left without one.
 */
export async function editCustomer(
  deps: Deps,
  orgId: string,
  { id, change }: { id: string; change: CustomerFields },
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    await changeRow(deps, tx, await requireCustomer(tx, orgId, id), change)
  })
}

/** Changes a customer whose row is locked. */
async function changeRow(
  deps: Deps,
  tx: Transaction,
  customer: CustomerRow,
  change: CustomerFields,
): Promise<void> {
  const { orgId, id } = customer
  const { emails, ...fields } = cleaned(change)
  const hasEmails = emails !== undefined && (await changeEmails(deps, tx, orgId, { customer, emails }))
  const hasName = fields.name !== undefined && fields.name !== customer.name
  const before: Record<string, unknown> = customer
  if (!hasEmails && Object.entries(fields).every(([name, value]) => value === before[name])) return
  await tx
    .update(customers)
    .set({
      ...fields,
      ...(hasName && { isNameGuessed: false, isNameTyped: false }),
      version: sql`${customers.version} + 1`,
      updatedAt: deps.clock.now(),
      reindexAfter: '',
    })
    .where(matches(customers, { orgId, id }))
  recordCustomerUpdate(deps, tx, orgId, id)
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
  { customer, emails }: { customer: CustomerRow; emails: string[] },
): Promise<boolean> {
  const { id } = customer
  const before = await emailsOf(tx, orgId, customer)
  if (Bun.deepEquals(emails, before)) return false
  await requireFree(deps, tx, orgId, { emails, before, customerId: id })
  if (emails.length === 0 && before.length > 0) await requireNoMail(deps, tx, orgId, id)
  await replaceEmails(tx, orgId, { id, emails })
  const unverifiedEmail = emails.length > 0 ? null : await typedEmail(tx, orgId, id)
  const isNameTyped = customer.isNameTyped && emails.length === 0
  await tx.update(customers).set({ unverifiedEmail, isNameTyped }).where(matches(customers, { orgId, id }))
  return true
}

interface WantedEmails {
  emails: string[]
  before: string[]
  customerId?: string
}

/** Checks the addresses that the customer doesn't have yet. */
async function requireFree(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { emails, before, customerId }: WantedEmails,
): Promise<void> {
  const faults: Fault[] = []
  const known = new Set(before.map((email) => email.toLowerCase()))
  const keys = new Set<string>()
  for (const [place, email] of emails.entries()) {
    const pointer = `/emails/${place}`
    const key = email.toLowerCase()
    if (keys.has(key)) {
      faults.push({ pointer, code: 'repeated', detail: `${email} is in the list twice.` })
    } else if (!known.has(key)) await requireOutside(deps, tx, orgId, email, pointer)
    keys.add(key)
    const owner = known.has(key) ? undefined : await ownerOf(tx, orgId, email)
    if (owner && owner.id !== customerId) throw emailTaken(email, owner.name)
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

function emailTaken(email: string, name: string): AppError {
  const detail = `${name} has the address ${email}. To have one customer with both, merge the two.`
  return new AppError(409, 'email_taken', detail)
}
