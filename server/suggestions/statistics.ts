import { count, eq } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { type SuggestionState, suggestions } from '../database/tables/threads.ts'
import { type EventActor, readActors } from '../events/actors.ts'

interface AuthorStatistics {
  byId: string
  by: EventActor
  counts: Record<SuggestionState, number>
}

/** What became of the suggestions of each author, over the days that closed ones are kept, in order of the name. */
export async function readStatistics(read: Reader, orgId: string): Promise<AuthorStatistics[]> {
  const { byId, state } = suggestions
  const found = await read
    .select({ byId, state, count: count() })
    .from(suggestions)
    .where(eq(suggestions.orgId, orgId))
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
