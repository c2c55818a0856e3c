import { and, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { integer, statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { notes } from '../database/tables/threads.ts'
import { isOfTicket, ofTicket, placeInTicket } from '../tickets/rows-of-ticket.ts'
import { MAX_TEXT_LENGTH } from './pieces.ts'

/** One more than is shown, to know whether something follows. */
const PIECE_LENGTH = sql.raw(String(MAX_TEXT_LENGTH + 1))

/** The parts before a place, the newest first, with the beginnings of their texts. */
const before = { ...placeInTicket, limit: integer }

/** It arrived as a mail, or was imported: its sender, or another system, chose the name of its author. */
const isFromElsewhere =
  sql`(${messages.externalId} is not null or exists (select 1 from message_contents received
  where received.message_id = ${messages.id} and received.mail_id is not null))`.mapWith(Boolean)

/** The messages of a ticket before a place. */
export const messagesBefore = statement('mcp_messages_before', before, (read: Reader, p) =>
  read
    .select({
      id: messages.id,
      role: messages.role,
      text: beginningOf(messages.text),
      format: messages.format,
      isAutomatic: messages.isAutomatic,
      author: messages.author,
      authorName: messages.authorName,
      agentId: messages.agentId,
      agentName: messages.agentName,
      isFromElsewhere,
      attachmentCount: messages.attachmentCount,
      sending: messages.sending,
      sendError: messages.sendError,
      sentBy: messages.sentBy,
      takenBackAt: messages.takenBackAt,
      createdAt: messages.createdAt,
    })
    .from(messages)
    .where(and(isOfTicket(messages, p), isBefore(messages, p)))
    .orderBy(sql`${messages.createdAt} desc, ${messages.id} desc limit ${p.limit}`),
)

/** The notes on a ticket before a place. */
export const notesBefore = statement('mcp_notes_before', before, (read: Reader, p) =>
  read
    .select({
      id: notes.id,
      text: beginningOf(notes.text),
      format: notes.format,
      agentName: notes.agentName,
      attachmentCount: notes.attachmentCount,
      createdAt: notes.createdAt,
    })
    .from(notes)
    .where(and(isOfTicket(notes, p), isBefore(notes, p)))
    .orderBy(sql`${notes.createdAt} desc, ${notes.id} desc limit ${p.limit}`),
)

export const placeOfMessage = placeOf('message', messages)
export const placeOfNote = placeOf('note', notes)

/** The newest replies on a ticket that aren't sent yet. */
export const waitingReplies = statement('mcp_waiting', { ...ofTicket, limit: integer }, (read: Reader, p) =>
  read
    .select({
      id: scheduledMessages.id,
      agentName: scheduledMessages.agentName,
      isHeld: scheduledMessages.isHeld,
      sendAt: scheduledMessages.sendAt,
    })
    .from(scheduledMessages)
    .where(isOfTicket(scheduledMessages, p))
    .orderBy(sql`${scheduledMessages.createdAt} desc, ${scheduledMessages.id} desc limit ${p.limit}`),
)

/** When a part of a ticket was written, and a piece of its text from a place on. */
function placeOf(name: string, table: typeof messages | typeof notes) {
  const of = { orgId: text, ticketId: text, id: text, from: integer }
  return statement(`mcp_${name}_place`, of, (read: Reader, { from, ...of }) =>
    read
      .select({
        id: table.id,
        createdAt: table.createdAt,
        text: sql<string>`substr(${table.text}, cast(${from} as integer) + 1, ${PIECE_LENGTH})`,
      })
      .from(table)
      .where(matches(table, of)),
  )
}

function beginningOf(column: PgColumn): SQL<string> {
  return sql`substr(${column}, 1, ${PIECE_LENGTH})`
}

function isBefore(
  { createdAt, id }: { createdAt: PgColumn; id: PgColumn },
  p: { at: SQL; afterId: SQL },
): SQL {
  return sql`(${createdAt}, ${id}) < (${p.at}, ${p.afterId})`
}
