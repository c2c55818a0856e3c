import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Send } from '../../channels/channel.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { command, insertOf, integer, statement, text } from '../../database/statement.ts'
import { type RecipientOutcome, sends } from '../../database/tables/sends.ts'
import { tickets, ticketTags } from '../../database/tables/tickets.ts'
import type { Deps } from '../../deps.ts'
import { recordEvents } from '../../events/events.ts'
import { createId, timeOfId } from '../../ids.ts'

/** `dueAt` of a send whose mailbox or bot is paused or refused: the end of time (ECMA-262, section 21.4.1.1). */
export const UNTIL_RESUMED = 8_640_000_000_000_000

/** Also a send that is made after the clock was set back comes after those of its conversation that haven't left. */
export async function insertSends(tx: Transaction, planned: readonly Send[]): Promise<void> {
  const inOrder: Send[] = []
  for (const send of planned) {
    const [last] = await findLastOf(tx, { conversation: send.conversation })
    const isAfter = !last || last.id < send.id
    inOrder.push(isAfter ? send : { ...send, id: createId('snd', timeOfId(last.id) + 1) })
  }
  await insertInOrder(tx, inOrder)
}

const insertInOrder = insertOf(sends)

const findLastOf = statement('sends_last_of_conversation', { conversation: text }, (tx, p) =>
  tx
    .select({ id: sends.id })
    .from(sends)
    .where(and(eq(sends.conversation, p.conversation), sql`state in ('waiting', 'sending')`))
    .orderBy(sql`${sends.id} desc limit 1`),
)

/** The sends of a message, the newest first: one for each way out, and one for each change of it. */
export const findSends = statement(
  'sends_of_message',
  { orgId: text, messageId: text },
  (read: Reader | Transaction, p) =>
    read.select().from(sends).where(matches(sends, p)).orderBy(desc(sends.id)),
)

/** Why a message of a ticket didn't reach everyone. */
export interface SendTrouble {
  /** Recipients who did not get it. */
  missed: RecipientOutcome[]
  /** When the next attempt starts; null when there is none. */
  retryAt: number | null
}

/** Troubles by message id, for messages that didn't reach everyone. `retryAt` is about the newest send of a message. */
export async function readTroubles(
  { channels }: Pick<Deps, 'channels'>,
  read: Reader,
  { orgId, messageIds }: { orgId: string; messageIds: string[] },
): Promise<Map<string, SendTrouble>> {
  const found = await read
    .select({
      messageId: sends.messageId,
      channel: sends.channel,
      state: sends.state,
      attempts: sends.attempts,
      dueAt: sends.dueAt,
      outcomes: sends.outcomes,
    })
    .from(sends)
    .where(and(eq(sends.orgId, orgId), inArray(sends.messageId, messageIds), sql`${sends.error} <> ''`))
    .orderBy(asc(sends.id))
  return new Map(
    found.map(({ messageId, channel, state, attempts, dueAt, outcomes }) => [
      messageId ?? '',
      {
        missed: channels.sending(channel).namesRecipients
          ? outcomes.filter((outcome) => outcome.state !== 'sent')
          : [],
        retryAt: state === 'waiting' && attempts > 0 && dueAt < UNTIL_RESUMED ? dueAt : null,
      },
    ]),
  )
}

/**
 * Locks a ticket whose messages change other than by a new one, such as the state of a delivery. `/v1` shows it, so the
 * ticket changes too: record it. Returns whether there is such a ticket.
 */
export async function changeTicket(
  tx: Transaction,
  changed: { orgId: string; id: string; at: number },
): Promise<boolean> {
  const [ticket] = await touchRow(tx, changed)
  if (ticket && ticket.tags.length > 0) await touchTagRows(tx, changed)
  return ticket !== undefined
}

/** Records that one of its messages, or something else in a ticket has changed, other than by a new message. */
export async function recordTicketChange(
  deps: Deps,
  tx: Transaction,
  {
    orgId,
    ticketId,
    messageId,
    at: createdAt = deps.clock.now(),
  }: { orgId: string; ticketId: string; messageId?: string; at?: number },
): Promise<void> {
  await changeTicket(tx, { orgId, id: ticketId, at: createdAt })
  recordEvents(deps, tx, orgId, [
    messageId === undefined
      ? { type: 'ticket.updated', ticketId, createdAt, changes: {} }
      : { type: 'message.updated', ticketId, messageId, createdAt },
  ])
}

const touchRow = statement('sends_ticket', { orgId: text, id: text, at: integer }, (tx, p) =>
  tx
    .update(tickets)
    .set({ version: sql`${tickets.version} + 1`, updatedAt: p.at })
    .where(matches(tickets, { orgId: p.orgId, id: p.id }))
    .returning({ tags: tickets.tags }),
)

const touchTagRows = command('sends_ticket_tags', { orgId: text, id: text, at: integer }, (tx, p) =>
  tx
    .update(ticketTags)
    .set({ updatedAt: p.at })
    .where(matches(ticketTags, { orgId: p.orgId, ticketId: p.id })),
)
