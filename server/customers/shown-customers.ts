import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { customers } from '../database/tables/customers.ts'
import { isoTime } from '../dates.ts'
import { AppError } from '../errors.ts'
import { isNamed } from '../requests/headers.ts'
import { otherEmails } from './customer-emails.ts'

/** A customer as `/v1/customers` shows them, with all their addresses, the first one first. */
export type ShownCustomer = Pick<
  typeof customers.$inferSelect,
  | 'id'
  | 'name'
  | 'company'
  | 'phone'
  | 'note'
  | 'isNameTyped'
  | 'unverifiedEmail'
  | 'externalId'
  | 'metadata'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
> & { emails: string[] }

/**
 * The customers with these ids, in their order. Those who are unknown, of another organization, or merged into another
 * one are left out. `ids` are at most a few hundred.
 */
export async function readShownCustomers(
  read: Reader | Transaction,
  orgId: string,
  ids: readonly string[],
): Promise<ShownCustomer[]> {
  if (ids.length === 0) return []
  const rows = await read
    .select(shownColumns)
    .from(customers)
    .where(
      and(
        inArray(customers.id, [...ids]),
        // Expressions, so that no index but that of the ids is used.
        sql`(${customers.orgId} || '') = ${orgId}`,
        isNull(customers.mergedInto),
      ),
    )
  const others = await otherEmails(read, orgId, ids)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    if (!row) return []
    const { email, ...shown } = row
    return [{ ...shown, emails: email === null ? [] : [email, ...(others.get(id) ?? [])] }]
  })
}

/** The customer with this id of another system; of one who was merged, the one who has theirs now. */
export async function findByExternalId(
  read: Reader | Transaction,
  orgId: string,
  externalId: string,
): Promise<string | undefined> {
  const [found] = await read
    .select({ id: customers.id })
    .from(customers)
    .where(and(eq(customers.orgId, orgId), eq(customers.externalId, externalId)))
  return found && survivorOf(read, orgId, found.id)
}

/** Who has the tickets and addresses of a customer now: themselves, unless they were merged. */
export async function survivorOf(read: Reader | Transaction, orgId: string, id: string): Promise<string> {
  const [found] = await read
    .select({ mergedInto: customers.mergedInto })
    .from(customers)
    .where(and(eq(customers.orgId, orgId), eq(customers.id, id)))
  return found?.mergedInto ? survivorOf(read, orgId, found.mergedInto) : id
}

/** Strong validator of a customer as `GET` returns them. */
export function customerEtag({ version }: Pick<ShownCustomer, 'version'>): string {
  return `"${version}"`
}

/** Throws 412 unless the header `If-Match` is absent or names the customer's ETag. */
export function requireCustomerMatch(
  customer: Pick<ShownCustomer, 'version'>,
  ifMatch: string | undefined,
): void {
  // A proxy that compresses makes the ETag a weak one.
  if (ifMatch === undefined || isNamed(ifMatch, customerEtag(customer))) return
  throw new AppError(412, 'precondition_failed', 'The customer changed since you read them. Read them again.')
}

/** What is empty is absent. */
export function viewShownCustomer(customer: ShownCustomer) {
  const { emails, company, phone, note, unverifiedEmail, externalId, metadata } = customer
  return {
    id: customer.id,
    name: customer.name,
    email: emails[0],
    emails,
    company: company || undefined,
    phone: phone || undefined,
    note: note || undefined,
    unverifiedEmail: unverifiedEmail ?? undefined,
    unverified: customer.isNameTyped || unverifiedEmail !== null ? (true as const) : undefined,
    externalId: externalId ?? undefined,
    metadata: metadata ?? undefined,
    createdAt: isoTime(customer.createdAt),
    updatedAt: isoTime(customer.updatedAt),
  }
}

const shownColumns = {
  id: customers.id,
  name: customers.name,
  email: customers.email,
  company: customers.company,
  phone: customers.phone,
  note: customers.note,
  isNameTyped: customers.isNameTyped,
  unverifiedEmail: customers.unverifiedEmail,
  externalId: customers.externalId,
  metadata: customers.metadata,
  version: customers.version,
  createdAt: customers.createdAt,
  updatedAt: customers.updatedAt,
}
