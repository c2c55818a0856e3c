import { asc, eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { savedViews } from '../database/tables/saved-views.ts'
import type { Deps } from '../deps.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { MAX_QUERY_LENGTH, type Part, partsOf, quoted, replaceParts } from '../search/query-language.ts'

interface ViewText {
  name: string
  query: string
}

/**
 * Changes the queries of an organization's saved views, private ones included, in the unit that makes it necessary.
 * `rewrite` returns the new query of a view, or undefined to delete the view. Returns the number of
 * changed views.
 */
export async function rewriteViews(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  rewrite: (view: ViewText) => string | undefined,
): Promise<number> {
  const views = await tx
    .select({ id: savedViews.id, name: savedViews.name, query: savedViews.query })
    .from(savedViews)
    .where(eq(savedViews.orgId, orgId))
    .orderBy(asc(savedViews.id))
  const changes = views
    .map((view) => ({ ...view, after: rewrite(view) }))
    .filter(({ query, after }) => after !== query)
  if (changes.length > 0) recordWorkspaceChange(deps, tx, orgId)
  for (const { id, after } of changes) {
    const isThis = matches(savedViews, { orgId, id })
    if (after === undefined) await tx.delete(savedViews).where(isThis)
    else await tx.update(savedViews).set({ query: after }).where(isThis)
  }
  return changes.length
}

/** In how many saved views of an organization each tag is, private views included. */
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

/** A query with a tag renamed. Unchanged if it would become too long for a search. */
export function renameTagInQuery(query: string, { from, to }: { from: string; to: string }): string {
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

/**
 * The query of a saved view without the email address of a deleted customer. Undefined for a view that has to be
 * deleted: it is named after the address, it searched for it, or without it would find everything.
 */
export function removeAddress({ name, query }: ViewText, address: string): string | undefined {
  if (containsAddress(name, address)) return undefined
  const parts = partsOf(query).filter(({ value }) => containsAddress(value, address))
  if (parts.length === 0) return query
  if (parts.some(({ isNegated }) => !isNegated)) return undefined
  return replaceParts(query, ({ value }) => (containsAddress(value, address) ? '' : undefined)) || undefined
}

/** Whether the address is in a text, and not as a part of a longer address. */
function containsAddress(text: string, address: string): boolean {
  const [whole, part] = [text.toLowerCase(), address.toLowerCase()]
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
    const before = whole.slice(0, at)
    const after = whole.slice(at + part.length)
    if (!/[\p{L}\p{N}._%+@-]$/u.test(before) && !/^\.?[\p{L}\p{N}_%+@-]/u.test(after)) return true
  }
  return false
}
