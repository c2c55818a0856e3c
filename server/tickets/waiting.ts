import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'

// A customer waits from their first message since our last answer on, until the ticket is resolved. Automatic messages,
// notes and what is said to third parties change nothing about it. One column holds this for the lists: the time since
// when the customer waits, and for every other ticket a number after all times that is lower the newer its last message
// is. So waiting tickets come first, longest first, then the others, newest first, and hardly any two are equal.

type Message = typeof messages.$inferSelect
type Ticket = typeof tickets.$inferSelect

/** What a message means for the customer's waiting. */
type WaitingEffect = 'question' | 'answer' | 'none'

/** The last time that a Date can hold. */
export const LATEST_TIME = 8_640_000_000_000_000
/** Minus the time of the last message, the order of a ticket that no one waits on. */
const ANSWERED = 9_000_000_000_000_000

/** Undefined while no one waits. */
export function waitingSinceOf({ waitingOrder }: Pick<Ticket, 'waitingOrder'>): number | undefined {
  return waitingOrder <= LATEST_TIME ? waitingOrder : undefined
}

export function waitingOrderOf(since: number | undefined, lastMessageAt: number): number {
  return since ?? ANSWERED - lastMessageAt
}

/** Whether a message of a customer asks for an answer. */
export function waitsForAnswer({ role, isAutomatic, author }: Partial<Message>): boolean {
  return role === 'customer' && !isAutomatic && author !== 'third_party'
}

/** The newest message between a ticket's customer and the team, besides automatic ones and those that were taken back. */
export const findNewest = statement(
  'tickets_newest_message',
  { orgId: text, ticketId: text },
  (on: Reader | Transaction, p) =>
    on
      .select({
        id: messages.id,
        role: messages.role,
        createdAt: messages.createdAt,
      })
      .from(messages)
      .where(
        and(
          eq(messages.orgId, p.orgId),
          eq(messages.ticketId, p.ticketId),
          sql`not ${messages.isAutomatic} and ${messages.takenBackAt} is null`,
          sql`coalesce(${messages.author}, '') <> 'third_party'`,
        ),
      )
      .orderBy(sql`${messages.createdAt} desc, ${messages.id} desc limit 1`),
)

/** The order of a ticket after a message at a time. */
export function waitingAfterMessage({ at, effect }: { at: SQL; effect: SQL }): SQL {
  const is = (one: WaitingEffect) => sql`${effect} = ${sql.raw(`'${one}'`)}`
  const answered = sql`${sql.raw(String(ANSWERED))} - ${at}`
  return sql`case when ${is('answer')} then ${answered}
    when ${tickets.waitingOrder} <= ${sql.raw(String(LATEST_TIME))} then ${tickets.waitingOrder}
    when ${is('question')} and ${tickets.status} <> 'resolved' then ${at}
    else ${answered} end`
}

/** The order of a ticket by its messages: for one that was reopened, or whose answer was taken back. */
export async function readWaitingOrder(
  tx: Transaction,
  { orgId, id: ticketId, lastMessageAt }: Pick<Ticket, 'orgId' | 'id' | 'lastMessageAt'>,
): Promise<number> {
  const [first] = await firstQuestion(tx, { orgId, ticketId })
  return waitingOrderOf(first?.at ?? undefined, lastMessageAt)
}

/** Fills in what the tickets of an export didn't have before these columns were invented. */
export async function addMissingTimes(tx: Transaction, orgId: string): Promise<void> {
  const isMissing = matches(tickets, { orgId, lastMessageAt: 0 })
  const found = await tx.select({ id: tickets.id }).from(tickets).where(isMissing).limit(1)
  if (found.length === 0) return
  const newest = sql`(select max(newest.created_at) from messages newest where newest.ticket_id = tickets.id
    and not (newest.role = 'agent' and newest.is_automatic))`
  const lastMessageAt = sql`coalesce(${newest}, ${tickets.createdAt})`
  const question = firstQuestionOf(sql`tickets.org_id`, sql`tickets.id`)
  const since = sql`case when ${tickets.status} <> 'resolved' then ${question} end`
  const waitingOrder = sql`coalesce(${since}, ${sql.raw(String(ANSWERED))} - ${lastMessageAt})`
  await tx.update(tickets).set({ lastMessageAt, waitingOrder }).where(isMissing)
  const of = (column: string) =>
    sql`(select ${sql.raw(column)} from tickets whole where whole.id = ticket_tags.ticket_id)`
  await tx
    .update(ticketTags)
    .set({ lastMessageAt: of('last_message_at'), waitingOrder: of('waiting_order') })
    .where(matches(ticketTags, { orgId, lastMessageAt: 0 }))
}

const firstQuestion = statement(
  'tickets_first_question',
  { orgId: text, ticketId: text },
  (read: Reader | Transaction, p) => {
    const question = firstQuestionOf(p.orgId, p.ticketId)
    return read.select({ at: sql<number | null>`${question}`.mapWith(Number) }).from(sql`(select 1) as one`)
  },
)

function firstQuestionOf(orgId: SQL, ticketId: SQL): SQL {
  const lastAnswer = sql`(select max(answer.created_at) from messages answer
    where answer.org_id = ${orgId} and answer.ticket_id = ${ticketId}
    and answer.role = 'agent' and not answer.is_automatic and answer.taken_back_at is null
    and coalesce(answer.author, '') <> 'third_party')`
  return sql`(select min(question.created_at) from messages question
    where question.org_id = ${orgId} and question.ticket_id = ${ticketId}
    and question.role = 'customer' and not question.is_automatic
    and coalesce(question.author, '') <> 'third_party'
    and question.created_at > coalesce(${lastAnswer}, -1))`
}
