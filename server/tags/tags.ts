import { type AuditNote, recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { ticketTags } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { renameTagInQuery, rewriteViews, viewsByTag } from '../saved-views/rewrite.ts'
import { countTags, type TagCount } from '../tickets/counters.ts'
import { lockTicket } from '../tickets/queries.ts'
import { type Changed, changeRow, recordChanges } from '../tickets/update-ticket.ts'

/** Tickets in one unit: few enough not to delay other requests. */
const SLICE = 100

/** Tags in the list of all tags: those that the most tickets have. */
const MAX_TAGS = 2_000

interface Tag extends TagCount {
  /** Saved views that include or exclude it. */
  views: number
}

/** The tags that tickets have, in order of the tags. */
export async function listTags({ database }: Deps, orgId: string): Promise<Tag[]> {
  const [tags, views] = await Promise.all([
    countTags(database, orgId, MAX_TAGS),
    viewsByTag(database.read, orgId),
  ])
  return tags.map((one) => ({ ...one, views: views.get(one.tag) ?? 0 }))
}

/**
 * Renames a tag on all tickets, a slice in each unit, and in all saved views. After an interruption, calling it again
 * does the rest. A ticket that already has the new tag keeps it once. Returns the number of changed tickets.
 */
export async function renameTag(
  deps: Deps,
  orgId: string,
  { from, to }: { from: string; to: string },
): Promise<number> {
  const [old, name] = [from.trim(), to.trim()]
  if (old === name) {
    throw invalid([{ pointer: '/to', code: 'same_name', detail: 'Must be different from the current name.' }])
  }
  return replaceTag(deps, orgId, { tag: old, replacement: [name] })
}

/** Removes a tag from all tickets, as `renameTag` does; saved views don't change. */
export function removeTag(deps: Deps, orgId: string, tag: string): Promise<number> {
  return replaceTag(deps, orgId, { tag: tag.trim(), replacement: [] })
}

async function replaceTag(
  deps: Deps,
  orgId: string,
  change: { tag: string; replacement: string[] },
): Promise<number> {
  let changed = 0
  for (let some = SLICE; some === SLICE; changed += some) {
    some = await replaceInSlice(deps, orgId, change, { isFirst: changed === 0 })
  }
  return changed
}

function replaceInSlice(
  deps: Deps,
  orgId: string,
  { tag, replacement }: { tag: string; replacement: string[] },
  { isFirst }: { isFirst: boolean },
): Promise<number> {
  return deps.database.write(orgId, async (tx) => {
    const ids = await ticketsWith(tx, orgId, tag)
    const now = deps.clock.now()
    const done: Changed[] = []
    for (const id of ids) {
      const [before] = await lockTicket(tx, { orgId, id })
      if (!before) continue
      const tags = before.tags.flatMap((each) => (each === tag ? replacement : each))
      const changed = await changeRow(deps, tx, before, { change: { tags }, assignable: new Set(), now })
      if (changed) done.push(changed)
    }
    await recordChanges(deps, tx, orgId, { done, now })
    const changedViews = isFirst ? await renameInViews(deps, tx, orgId, { tag, replacement }) : 0
    if (isFirst && (done.length > 0 || changedViews > 0)) {
      await recordAudit(deps, tx, orgId, auditEntry(tag, replacement, changedViews))
    }
    return ids.length
  })
}

async function renameInViews(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { tag, replacement: [name] }: { tag: string; replacement: string[] },
): Promise<number> {
  if (name === undefined) return 0
  return rewriteViews(deps, tx, orgId, ({ query }) => renameTagInQuery(query, { from: tag, to: name }))
}

function auditEntry(tag: string, [name]: string[], changedViews: number): AuditNote {
  const subject = { label: tag }
  return name === undefined
    ? { action: 'tag.removed', subject }
    : { action: 'tag.renamed', subject, detail: { to: name, changedViews } }
}

/**
 * In the order of their ids, in which all units lock tickets. Sorted here because with `order by` SQLite would read all
 * tags of the organization for each slice.
 */
async function ticketsWith(tx: Transaction, orgId: string, tag: string): Promise<string[]> {
  const rows = await tx
    .select({ id: ticketTags.ticketId })
    .from(ticketTags)
    .where(matches(ticketTags, { orgId, tag }))
    .limit(SLICE)
  return rows.map(({ id }) => id).sort()
}
