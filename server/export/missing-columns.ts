import { and, eq, inArray, isNotNull, isNull, like, ne, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { customerIdentities, customers } from '../database/tables/customers.ts'
import { messages } from '../database/tables/messages.ts'
import { organizations } from '../database/tables/organizations.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'

/** The name of all visitors who gave none, before they had numbers. */
const NAMELESS = 'Visitor'

/**
 * Fills in what the records of an export didn't have before these columns were invented, as the migrations did for
 * databases of that time. Changes nothing in an export that has them.
 */
export async function addMissingColumns(tx: Transaction, orgId: string): Promise<void> {
  await addTransports(tx, orgId)
  await addVisitorNumbers(tx, orgId)
  await addLater(tx, orgId)
}

const MAX_UNDO_MS = 60_000

/** The author of a message that waits longer than it can be undone has chosen the time. */
async function addLater(tx: Transaction, orgId: string): Promise<void> {
  const { sendAt, createdAt } = scheduledMessages
  await tx
    .update(scheduledMessages)
    .set({ isLater: true })
    .where(and(eq(scheduledMessages.orgId, orgId), sql`${sendAt} - ${createdAt} > ${MAX_UNDO_MS}`))
}

async function addTransports(tx: Transaction, orgId: string): Promise<void> {
  const ofChannel = sql`(select case whole.channel when 'api' then 'webhook' else whole.channel end
    from tickets whole where whole.id = messages.ticket_id)`
  const isOnTelegram = sql`exists (select 1 from sends sent where sent.org_id = messages.org_id
    and sent.message_id = messages.id and sent.channel = 'telegram')`
  const sentBy = sql`case when ${messages.email} is not null then 'email'
    when ${isOnTelegram} then 'telegram' else ${ofChannel} end`
  await tx
    .update(messages)
    .set({ sentBy })
    .where(
      and(matches(messages, { orgId, role: 'agent' }), isNotNull(messages.sending), isNull(messages.sentBy)),
    )
}

/** Also names visitors who gave no name by their numbers, and marks what the others typed as such. */
async function addVisitorNumbers(tx: Transaction, orgId: string): Promise<void> {
  const isOld = matches(organizations, { id: orgId, lastVisitor: 0 })
  const found = await tx.select({ id: organizations.id }).from(organizations).where(isOld)
  if (found.length === 0) return
  const ofVisitors = tx
    .select({ id: customerIdentities.customerId })
    .from(customerIdentities)
    .where(
      and(
        matches(customerIdentities, { orgId, channel: 'widget' }),
        like(customerIdentities.externalId, 'visitor:%'),
      ),
    )
  const numbered = tx
    .select({
      id: customers.id,
      place: sql<number>`row_number() over (order by ${customers.createdAt}, ${customers.id})`.as('place'),
    })
    .from(customers)
    .where(and(eq(customers.orgId, orgId), inArray(customers.id, ofVisitors)))
    .as('numbered')
  const visitorNumber = sql`${numbered.place}`
  await tx.update(customers).set({ visitorNumber }).from(numbered).where(eq(customers.id, numbered.id))
  const isVisitor = and(eq(customers.orgId, orgId), isNotNull(customers.visitorNumber))
  await tx
    .update(customers)
    .set({ isNameTyped: true })
    .where(and(isVisitor, isNull(customers.email), ne(customers.name, NAMELESS)))
  await tx
    .update(customers)
    .set({ name: sql`'Visitor ' || ${customers.visitorNumber}` })
    .where(and(isVisitor, eq(customers.name, NAMELESS)))
  const typed = sql`(select max(typed.typed_email) from visitors typed
    where typed.org_id = ${orgId} and typed.customer_id = customers.id and typed.typed_email <> '')`
  await tx
    .update(customers)
    .set({ unverifiedEmail: typed })
    .where(and(isVisitor, isNull(customers.email)))
  const lastVisitor = sql`coalesce((select max(counted.visitor_number) from customers counted
    where counted.org_id = ${orgId}), 0)`
  await tx.update(organizations).set({ lastVisitor }).where(isOld)
}
