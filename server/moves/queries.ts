import { sql } from 'drizzle-orm'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { moves } from '../database/tables/moves.ts'
import { ofTicket } from '../tickets/rows-of-ticket.ts'

export type MessageToRead = Awaited<ReturnType<typeof findNewestToRead>>[number]

/** The newest message besides our automatic replies: until an agent has read it, the ticket is unread. */
export const findNewestToRead = statement('moves_newest_to_read', ofTicket, (tx, p) =>
  tx
    .select({ id: messages.id, role: messages.role, createdAt: messages.createdAt })
    .from(messages)
    .where(sql`${matches(messages, p)} and not (${messages.role} = 'agent' and ${messages.isAutomatic})`)
    .orderBy(sql`${messages.createdAt} desc, ${messages.id} desc limit 1`),
)

export const findMove = statement('moves_find', { orgId: text, id: text }, (tx, p) =>
  tx
    .select()
    .from(moves)
    .where(matches(moves, { orgId: p.orgId, id: p.id })),
)
