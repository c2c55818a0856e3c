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
