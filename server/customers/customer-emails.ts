import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { customerEmails, customers } from '../database/tables/customers.ts'
import { tickets } from '../database/tables/tickets.ts'

/** The addresses of customers beside their first, in order. */
export async function otherEmails(
  read: Reader | Transaction,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map()
  const found = await read
    .select({ customerId: customerEmails.customerId, email: customerEmails.email })
    .from(customerEmails)
    .where(
      // The index of a customer's addresses is the one to use.
      and(inArray(customerEmails.customerId, [...ids]), sql`(${customerEmails.orgId} || '') = ${orgId}`),
    )
    .orderBy(customerEmails.customerId, customerEmails.position)
  const byCustomer = Map.groupBy(found, ({ customerId }) => customerId)
  return new Map([...byCustomer].map(([id, emails]) => [id, emails.map(({ email }) => email)]))
}

/** All addresses of a customer, the first one first. */
export async function emailsOf(
  on: Reader | Transaction,
  orgId: string,
  { id, email }: { id: string; email: string | null },
): Promise<string[]> {
  if (email === null) return []
  return [email, ...((await otherEmails(on, orgId, [id])).get(id) ?? [])]
}

/** The customer who has an address, as their first or another one. In a unit of the organization, no one else gets it. */
export async function ownerOf(
  on: Reader | Transaction,
  orgId: string,
  email: string,
): Promise<{ id: string; name: string } | undefined> {
  const emailKey = email.toLowerCase()
  const [owner] = await ownerByFirst(on, { orgId, emailKey })
  if (owner) return owner
  const [other] = await ownerByOther(on, { orgId, emailKey })
  return other
}

/**
 * Gives a customer these addresses, the first one first, in place of those that they have. Each must be theirs or no
 * one's, and different from the others without regard to case.
 */
export async function replaceEmails(
  tx: Transaction,
  orgId: string,
  { id, emails }: { id: string; emails: readonly string[] },
): Promise<void> {
  const [first = null, ...others] = emails
  await tx.delete(customerEmails).where(matches(customerEmails, { orgId, customerId: id }))
  await tx
    .update(customers)
    .set({ email: first, emailKey: first?.toLowerCase() ?? null })
    .where(matches(customers, { orgId, id }))
  if (others.length === 0) return
  await tx.insert(customerEmails).values(
    others.map((email, position) => ({
      orgId,
      emailKey: email.toLowerCase(),
      email,
      customerId: id,
      position,
    })),
  )
}

/** All addresses of a ticket's customer, the first one first. */
export async function emailsOfTicket(
  on: Reader | Transaction,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<string[]> {
  const rows = await ticketEmails(on, { orgId, ticketId })
  const first = rows[0]?.first
  return first == null ? [] : [first, ...rows.flatMap(({ other }) => other ?? [])]
}

const ticketEmails = statement(
  'customer_emails_of_ticket',
  { orgId: text, ticketId: text },
  (on: Reader | Transaction, p) =>
    on
      .select({ first: customers.email, other: customerEmails.email })
      .from(tickets)
      .innerJoin(customers, eq(customers.id, tickets.customerId))
      .leftJoin(customerEmails, eq(customerEmails.customerId, customers.id))
      .where(matches(tickets, { orgId: p.orgId, id: p.ticketId }))
      .orderBy(customerEmails.position),
)

const ownerByFirst = statement(
  'customer_by_first_email',
  { orgId: text, emailKey: text },
  (on: Reader | Transaction, p) =>
    on.select({ id: customers.id, name: customers.name }).from(customers).where(matches(customers, p)),
)

const ownerByOther = statement(
  'customer_by_other_email',
  { orgId: text, emailKey: text },
  (on: Reader | Transaction, p) =>
    on
      .select({ id: customers.id, name: customers.name })
      .from(customerEmails)
      .innerJoin(customers, eq(customers.id, customerEmails.customerId))
      .where(matches(customerEmails, { orgId: p.orgId, emailKey: p.emailKey })),
)
