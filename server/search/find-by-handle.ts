import { and, desc, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { tickets } from '../database/tables/tickets.ts'
import { isVeiledOfOrganization, textOf } from './conditions.ts'
import { handleOf } from './query-language.ts'

/** Ids of the tickets with this id or this handle, the newest first: handles are random, so that it is hardly ever two. */
export async function ticketsByReference(
  read: Reader,
  orgId: string,
  ticketReference: string,
): Promise<string[]> {
  const handle = handleOf(ticketReference)
  const found = await withHandle(read, { orgId, handle })
  return found.map(({ id }) => id).filter((id) => ticketReference === handle || ticketReference === id)
}

/** Along `tickets_by_handle`, which stands on these very words. */
const withHandle = statement<{ orgId: string; handle: string }, { id: string }[], Reader>(
  'inbox_with_handle',
  (read) =>
    read
      .select({ id: tickets.id })
      .from(tickets)
      .where(and(sql`substr(${tickets.id}, 25) = ${textOf('handle')}`, isVeiledOfOrganization))
      .orderBy(desc(sql`(${tickets.id} || '')`)),
)
