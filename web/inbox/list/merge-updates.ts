import type { Row } from '../inbox-data.ts'

/** What decides whether and where a row belongs. */
export type Facts = Pick<Row, 'status' | 'assignedTo' | 'tags' | 'isSpam' | 'hasFailedSend' | 'lastMessageAt'>

/** A row in its place. */
export interface Line {
  id: string
  /** As it was when it last belonged here: what Undo leads back to. */
  matched: Facts
  /** It belongs here no more, but keeps its place until the list is left. */
  hasLeft: boolean
}

interface Fresh {
  rows: readonly Row[]
  /** No further page exists. */
  isWhole: boolean
}

interface Still {
  isMatch: (row: Row) => boolean
  /** Nothing may move: the list is scrolled, or the pointer is on it. */
  isHeld: boolean
  /** The one the person is at. It never moves. */
  activeId: string | undefined
}

/** A list as the server has it, nothing kept from before. */
export function placed(rows: readonly Row[], isMatch: (row: Row) => boolean): Line[] {
  return rows.filter(isMatch).map((row) => ({ id: row.id, matched: factsOf(row), hasLeft: false }))
}

/**
 * The list after news from the server: what is shown keeps its place, even when it has left the list; what came in
 * (new, or with a new message of the customer) goes to its place, or waits when nothing may move.
 */
export function settled(
  lines: readonly Line[],
  fresh: Fresh,
  still: Still,
): { lines: Line[]; waiting: string[] } {
  const freshById = new Map(fresh.rows.map((row) => [row.id, row]))
  const lastKnown = lines.findLastIndex(({ id }) => freshById.has(id))
  const kept = lines.map((line, place): Line => {
    const row = freshById.get(line.id)
    // Where it would be anyway, it need not be put.
    const isInPlace = fresh.rows[place]?.id === line.id
    // Below the last one the server has sent, pages are only not loaded any more.
    if (!row) return place < lastKnown || fresh.isWhole ? { ...line, hasLeft: true } : line
    if (!still.isMatch(row)) return { ...line, hasLeft: true }
    return { ...line, matched: isInPlace ? factsOf(row) : withPlacing(line, row), hasLeft: false }
  })
  const shown = new Map(kept.map((line) => [line.id, line]))
  const lastShown = fresh.rows.findLastIndex(({ id }) => shown.has(id))
  const news = fresh.rows.filter(
    (row, at) => at < lastShown && still.isMatch(row) && isNews(row, shown.get(row.id), still.activeId),
  )
  const below = placed(fresh.rows.slice(lastShown + 1), still.isMatch)
  const waiting = news.map(({ id }) => id)
  if (still.isHeld || waiting.length === 0) return { lines: [...kept, ...below], waiting }
  return { lines: [...inserted(kept, news, fresh.rows), ...below], waiting: [] }
}

/** New here, or its customer has written since it was put in its place. */
function isNews(row: Row, line: Line | undefined, activeId: string | undefined): boolean {
  if (!line) return true
  if (row.id === activeId || row.preview.role !== 'customer' || !row.isUnread) return false
  return !line.hasLeft && line.matched.lastMessageAt < row.lastMessageAt
}

/** The facts of now, but the time of the message with which it came to its place. */
function withPlacing(line: Line, row: Row): Facts {
  return { ...factsOf(row), lastMessageAt: line.matched.lastMessageAt }
}

/** Each one before the next that follows it on the server and is shown. */
function inserted(kept: Line[], news: Row[], order: readonly Row[]): Line[] {
  const coming = new Set(news.map(({ id }) => id))
  const lines = kept.filter(({ id }) => !coming.has(id))
  for (const row of news.toReversed()) {
    const followers = order.slice(order.indexOf(row) + 1)
    const places = new Map(lines.map(({ id }, place) => [id, place]))
    const next = followers.find(({ id }) => places.has(id))
    lines.splice(next ? (places.get(next.id) ?? 0) : lines.length, 0, {
      id: row.id,
      matched: factsOf(row),
      hasLeft: false,
    })
  }
  return lines
}

/** Of its own: the rows themselves are changed where they stand. */
function factsOf({ status, assignedTo, tags, isSpam, hasFailedSend, lastMessageAt }: Row): Facts {
  return { status, assignedTo, tags: [...tags], isSpam, hasFailedSend, lastMessageAt }
}
