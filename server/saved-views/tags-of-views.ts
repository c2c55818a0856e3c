import { eq } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { savedViews } from '../database/tables/saved-views.ts'
import { MAX_QUERY_LENGTH, type Part, partsOf, quoted, replaceParts } from '../search/query-language.ts'

/** In how many saved views of an organization each tag stands, everybody's own ones counted too. */
export async function viewsByTag(read: Reader, orgId: string): Promise<Map<string, number>> {
  const views = await read
    .select({ query: savedViews.query })
    .from(savedViews)
    .where(eq(savedViews.orgId, orgId))
  const counts = new Map<string, number>()
  for (const { query } of views) {
    const tags = new Set(partsOf(query).filter(isTag).map(tagOf))
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  }
  return counts
}

/** A query with another name for a tag; as it was when it would be too long for a search. */
export function withTagRenamed(query: string, { from, to }: { from: string; to: string }): string {
  const renamed = replaceParts(query, (part) =>
    isTag(part) && tagOf(part) === from ? `${part.isNegated ? '-' : ''}tag:${quoted(to)}` : undefined,
  )
  return renamed.length > MAX_QUERY_LENGTH ? query : renamed
}

function isTag({ name }: Part): boolean {
  return name === 'tag'
}

function tagOf({ value }: Part): string {
  return value.trim()
}
