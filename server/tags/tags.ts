import { and, eq } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { ticketTags } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { type Changed, changeRow, recordChanges } from '../tickets/change.ts'
import { countersUnder, filterNames } from '../tickets/counters.ts'
import { lockTicket } from '../tickets/rows.ts'

/** Tickets in one unit: few enough that nobody waits for it. */
const SLICE = 100

export interface TagCount {
  tag: string
  /** Tickets that carry it. */
  total: number
  /** Open ones, without spam, as the rail shows them. */
  open: number
}

/** Every tag that a ticket carries, by name. */
export async function listTags(deps: Deps, orgId: string): Promise<TagCount[]> {
  const { read } = deps.database
  const openPrefix = filterNames.statusAndTag('open', '')
  const [totals, open, spam] = await Promise.all([
    countersUnder(read, orgId, filterNames.tag('')),
    countersUnder(read, orgId, openPrefix),
    countersUnder(read, orgId, filterNames.spam(openPrefix)),
  ])
  return [...totals].map(([tag, total]) => ({
    tag,
    total,
    open: (open.get(tag) ?? 0) - (spam.get(tag) ?? 0),
  }))
}

/**
 * Gives a tag another name wherever it stands, a slice of tickets in each unit; doing it again does the rest. A ticket
 * that has the other one already keeps it once. Answers how many tickets changed.
 */
export async function renameTag(
  deps: Deps,
  orgId: string,
  { from, to }: { from: string; to: string },
): Promise<number> {
  const [old, name] = [from.trim(), to.trim()]
  if (old === name) {
    throw invalid([
      { pointer: '/to', code: 'same_name', detail: 'Must be another name than the present one.' },
    ])
  }
  return replaceTag(deps, orgId, { tag: old, by: [name] })
}

/** Takes a tag away wherever it stands, by the rules of `renameTag`. */
export function removeTag(deps: Deps, orgId: string, tag: string): Promise<number> {
  return replaceTag(deps, orgId, { tag: tag.trim(), by: [] })
}

async function replaceTag(deps: Deps, orgId: string, change: { tag: string; by: string[] }): Promise<number> {
  let changed = 0
  for (let some = SLICE; some === SLICE; changed += some) {
    some = await replaceInSlice(deps, orgId, change, { isFirst: changed === 0 })
  }
  return changed
}

function replaceInSlice(
  deps: Deps,
  orgId: string,
  { tag, by }: { tag: string; by: string[] },
  { isFirst }: { isFirst: boolean },
): Promise<number> {
  return deps.database.write(async (tx) => {
    const ids = await ticketsWith(tx, orgId, tag)
    const now = deps.clock.now()
    const done: Changed[] = []
    for (const id of ids) {
      const [before] = await lockTicket(tx, { orgId, id })
      if (!before) continue
      const tags = before.tags.flatMap((each) => (each === tag ? by : each))
      const changed = await changeRow(deps, tx, before, { change: { tags }, assignable: new Set(), now })
      if (changed) done.push(changed)
    }
    if (isFirst && done.length > 0) await recordAudit(deps, tx, orgId, auditNote(tag, by))
    await recordChanges(deps, tx, orgId, { done, now })
    return ids.length
  })
}

function auditNote(tag: string, [name]: string[]) {
  const subject = { label: tag }
  return name === undefined
    ? { action: 'tag.removed', subject }
    : { action: 'tag.renamed', subject, detail: { to: name } }
}

/**
 * In the order of their ids, as everybody takes them. Sorted here: asked to sort, SQLite would walk through all tags of
 * the organization for each slice.
 */
async function ticketsWith(tx: Transaction, orgId: string, tag: string): Promise<string[]> {
  const rows = await tx
    .select({ id: ticketTags.ticketId })
    .from(ticketTags)
    .where(and(eq(ticketTags.orgId, orgId), eq(ticketTags.tag, tag)))
    .limit(SLICE)
  return rows.map(({ id }) => id).sort()
}
