import { and, count, eq, not, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { type SuggestionState, suggestions } from '../database/tables/threads.ts'
import { type EventActor, readActors } from '../events/actors.ts'

interface AuthorStatistics {
  byId: string
  by: EventActor
  counts: Record<SuggestionState, number>
}

/** Its author suggested something else for the same message. */
const isReplaced = sql`(${suggestions.state} = 'superseded' and exists (select 1 from suggestions later
  where later.ticket_id = ${suggestions.ticketId} and later.org_id = ${suggestions.orgId}
  and later.by_id = ${suggestions.byId} and later.answers = ${suggestions.answers}
  and (later.created_at, later.id) > (${suggestions.createdAt}, ${suggestions.id})))`

/** What became of the suggestions of each author, besides those that they replaced, over the days that closed ones are kept, in order of the name. */
export async function readStatistics(read: Reader, orgId: string): Promise<AuthorStatistics[]> {
  const { byId, state } = suggestions
  const found = await read
    .select({ byId, state, count: count() })
    .from(suggestions)
    .where(and(eq(suggestions.orgId, orgId), not(isReplaced)))
    .groupBy(byId, state)
  const byAuthor = Map.groupBy(found, (row) => row.byId)
  const actorOf = await readActors(read, orgId, [...byAuthor.keys()])
  return [...byAuthor]
    .map(([byId, rows]) => ({ byId, by: actorOf(byId), counts: countsOf(rows) }))
    .sort((one, other) => (one.by.name ?? '').localeCompare(other.by.name ?? ''))
}

function countsOf(rows: { state: SuggestionState; count: number }[]): AuthorStatistics['counts'] {
  const counts = { open: 0, sent: 0, edited: 0, rejected: 0, superseded: 0, withdrawn: 0 }
  for (const { state, count } of rows) counts[state] = count
  return counts
}
