import { sql } from 'drizzle-orm'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { moves } from '../database/tables/moves.ts'
import { ofTicket } from '../tickets/rows-of-ticket.ts'

export type NewestMessage = Awaited<ReturnType<typeof findNewest>>[number]

/** The newest message besides our automatic replies: lists show it, and it decides whether a ticket is unread. */
export const findNewest = statement('moves_newest', ofTicket, (tx, p) =>
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
