import type { Row } from '../inbox-data.ts'

/** The fields that decide whether a row belongs in a list, and where. */
export type MatchFields = Pick<
  Row,
  'status' | 'assignedTo' | 'tags' | 'isSpam' | 'snoozedUntil' | 'hasFailedSend' | 'lastMessageAt'
>

/** One entry of the list, in the order shown. */
export interface ListEntry {
  id: string
  /** The fields as they were when the row last matched the list. Undo restores these. */
  lastMatch: MatchFields
  /** It no longer matches, but is still shown. */
  hasLeft: boolean
}

interface ServerRows {
  rows: readonly Row[]
  /** There is no further page. */
  isComplete: boolean
}

interface MergeOptions {
  isMatch: (row: Row) => boolean
  /** Nothing may move: the list is scrolled, or the pointer is over it. */
  isPaused: boolean
  /** The row under the cursor. It never moves. */
  activeId: string | undefined
}

/** The list exactly as the server returned it. */
export function entriesOf(rows: readonly Row[], isMatch: (row: Row) => boolean): ListEntry[] {
  return rows.filter(isMatch).map((row) => ({ id: row.id, lastMatch: matchFieldsOf(row), hasLeft: false }))
}

/**
 * Merges new rows from the server into the list. Rows already shown stay where they are, even when they no longer match.
 * Arrivals (new tickets, or new messages from customers) are inserted at their position, or returned as `arrivals` while
 * the list is paused.
 */
export function mergeUpdates(
  entries: readonly ListEntry[],
  server: ServerRows,
  options: MergeOptions,
): { entries: ListEntry[]; arrivals: string[] } {
  const rowsById = new Map(server.rows.map((row) => [row.id, row]))
  const lastKnown = entries.findLastIndex(({ id }) => rowsById.has(id))
  const kept = entries.map((entry, index): ListEntry => {
    const row = rowsById.get(entry.id)
    // A row that is already at its position on the server doesn't have to be inserted there.
    const isInPosition = server.rows[index]?.id === entry.id
    // Rows after the last known one may be on a page that is no longer loaded.
    if (!row) return index < lastKnown || server.isComplete ? { ...entry, hasLeft: true } : entry
    if (!options.isMatch(row)) return { ...entry, hasLeft: true }
    const lastMatch = isInPosition ? matchFieldsOf(row) : withPositionOf(entry, row)
    return { ...entry, lastMatch, hasLeft: false }
  })
  const shown = new Map(kept.map((entry) => [entry.id, entry]))
  const lastShown = server.rows.findLastIndex(({ id }) => shown.has(id))
  const arrived = server.rows.filter(
    (row, index) =>
      index < lastShown && options.isMatch(row) && isArrival(row, shown.get(row.id), options.activeId),
  )
  const below = entriesOf(server.rows.slice(lastShown + 1), options.isMatch)
  const arrivals = arrived.map(({ id }) => id)
  if (options.isPaused || arrivals.length === 0) return { entries: [...kept, ...below], arrivals }
  return { entries: [...insertArrivals(kept, arrived, server.rows), ...below], arrivals: [] }
}

/** True for a row that is not shown yet, or whose customer has written since it got its position. */
function isArrival(row: Row, entry: ListEntry | undefined, activeId: string | undefined): boolean {
  if (!entry) return true
  if (row.id === activeId || row.preview.role !== 'customer' || !row.isUnread) return false
  return !entry.hasLeft && entry.lastMatch.lastMessageAt < row.lastMessageAt
}

/** The current fields, but the message time that gave the row its position. */
function withPositionOf(entry: ListEntry, row: Row): MatchFields {
  return { ...matchFieldsOf(row), lastMessageAt: entry.lastMatch.lastMessageAt }
}

/** Inserts each row before the next shown row that follows it on the server. */
function insertArrivals(kept: ListEntry[], arrived: Row[], order: readonly Row[]): ListEntry[] {
  const arrivedIds = new Set(arrived.map(({ id }) => id))
  const entries = kept.filter(({ id }) => !arrivedIds.has(id))
  for (const row of arrived.toReversed()) {
    const followers = order.slice(order.indexOf(row) + 1)
    const indexes = new Map(entries.map(({ id }, index) => [id, index]))
    const next = followers.find(({ id }) => indexes.has(id))
    entries.splice(next ? (indexes.get(next.id) ?? 0) : entries.length, 0, {
      id: row.id,
      lastMatch: matchFieldsOf(row),
      hasLeft: false,
    })
  }
  return entries
}

/** A copy, because the store changes its rows in place. */
function matchFieldsOf({ tags, ...row }: Row): MatchFields {
  const { status, assignedTo, isSpam, snoozedUntil, hasFailedSend, lastMessageAt } = row
  return { status, assignedTo, tags: [...tags], isSpam, snoozedUntil, hasFailedSend, lastMessageAt }
}
