import { and, desc, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { tickets } from '../database/tables/tickets.ts'
import { isVeiledOfOrganization, textOf } from './conditions.ts'
import { handleOf } from './handle.ts'

/** Ids of the tickets with this id or this handle, the newest first: handles are random, so that it is hardly ever two. */
export async function ticketsCalled(read: Reader, orgId: string, called: string): Promise<string[]> {
  const handle = handleOf(called)
  const found = await withHandle(read, { orgId, handle })
  return found.map(({ id }) => id).filter((id) => called === handle || called === id)
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
