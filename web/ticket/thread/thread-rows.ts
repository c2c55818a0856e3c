import type { ActivityEntry, Entry, MessageEntry, NoteEntry } from '../ticket-query.ts'

export type Speech = MessageEntry | NoteEntry
type Change = ActivityEntry['changes'][number]

/** One row of a thread. Its id stays while it stands for the same, so that what is on the page is kept. */
export type ThreadRow =
  | { kind: 'day'; id: string; at: string }
  | { kind: 'earlier'; id: string; count: number }
  | { kind: 'new'; id: string }
  | { kind: 'speech'; id: string; items: Speech[] }
  | { kind: 'activity'; id: string; items: ActivityEntry[] }

interface Shape {
  /** The first message that was unread when the ticket was opened. */
  unreadFrom: string | undefined
  /** How many of the newest messages are shown; all those that are unread are, too. */
  shownCount: number
}

/** Messages of one sender within this time stand together, below one name. */
const TOGETHER_MS = 5 * 60_000
/** A long thread begins with this many of its newest messages. */
const SHOWN_AT_FIRST = 3
/** Who was away for long begins with the newest of what is new. */
const MOST_UNREAD_SHOWN = 50
/** Fewer are not worth hiding. */
const LEAST_FOLDED = 6
/** A change that its agent takes back within this time is not shown, and neither is taking it back. */
const UNDONE_WITHIN_MS = 10_000

/** How a thread is drawn: by day and sender, the older part of a long one folded away. */
export function threadRows(timeline: readonly Entry[], shape: Shape): ThreadRow[] {
  const shown = withoutUndone(timeline)
  const folded = foldedCount(shown, shape)
  const rows: ThreadRow[] = []
  if (folded > 0) rows.push({ kind: 'earlier', id: 'earlier', count: speechCount(shown.slice(0, folded)) })
  let day = ''
  for (const entry of shown.slice(folded)) {
    const today = dayOf(entry.createdAt)
    if (today !== day) rows.push({ kind: 'day', id: `day ${today}`, at: entry.createdAt })
    day = today
    if (entry.id === shape.unreadFrom) rows.push({ kind: 'new', id: 'new' })
    addEntry(rows, entry)
  }
  return rows
}

/** Whether a row stands for the same as before, so that nothing of it has to be drawn again. */
export function isSameRow(one: ThreadRow | undefined, other: ThreadRow | undefined): boolean {
  if (!one || !other || one.kind !== other.kind || one.id !== other.id) return one === other
  if (one.kind === 'earlier' && other.kind === 'earlier') return one.count === other.count
  if (!('items' in one && 'items' in other)) return true
  return one.items.length === other.items.length && one.items.every((item, at) => item === other.items[at])
}

/**
 * The first message of the customer behind the newest one that was read; where nothing was read, behind the newest answer.
 */
export function firstUnread(timeline: readonly Entry[], readUpTo: string | null): string | undefined {
  const readAt =
    readUpTo === null ? timeline.findLastIndex(isAnswer) : timeline.findIndex(({ id }) => id === readUpTo)
  return timeline.find((entry, at) => at > readAt && isFromCustomer(entry))?.id
}

/** How many of the newest messages have to be shown for the first one that fits: at least as many as at first. */
export function countFrom(timeline: readonly Entry[], fits: (text: string) => boolean): number {
  const spoken = timeline.filter(isSpeech)
  const first = spoken.findIndex(({ text }) => fits(text))
  const count = first < 0 ? 0 : spoken.length - first
  return Math.max(SHOWN_AT_FIRST, Math.min(count, MOST_UNREAD_SHOWN))
}

export function isSpeech(entry: Entry): entry is Speech {
  return entry.kind !== 'activity'
}

function isFromCustomer(entry: Entry): boolean {
  return entry.kind === 'message' && entry.role === 'customer'
}

function isAnswer(entry: Entry): boolean {
  return entry.kind === 'message' && entry.role === 'agent'
}

/** The newest message of either side: what an agent has seen when they begin to write. */
export function newestMessage(timeline: readonly Entry[]): MessageEntry | undefined {
  return timeline.findLast((entry) => entry.kind === 'message')
}

/** Who says it, for telling whether two stand together. */
function speaker(entry: Speech): string {
  if (entry.kind === 'note') return `note ${entry.agentId}`
  return entry.role === 'customer' ? 'customer' : `agent ${entry.agentId ?? entry.agentName ?? ''}`
}

function addEntry(rows: ThreadRow[], entry: Entry): void {
  const last = rows.at(-1)
  if (!isSpeech(entry)) {
    if (last?.kind === 'activity') last.items.push(entry)
    else rows.push({ kind: 'activity', id: entry.id, items: [entry] })
    return
  }
  if (last?.kind === 'speech' && areTogether(last.items.at(-1), entry)) last.items.push(entry)
  else rows.push({ kind: 'speech', id: entry.id, items: [entry] })
}

function areTogether(before: Speech | undefined, entry: Speech): boolean {
  if (!before || speaker(before) !== speaker(entry)) return false
  return Date.parse(entry.createdAt) - Date.parse(before.createdAt) <= TOGETHER_MS
}

function withoutUndone(timeline: readonly Entry[]): Entry[] {
  const shown: Entry[] = []
  for (const entry of timeline) {
    const last = shown.at(-1)
    if (last && takesBack(entry, last)) shown.pop()
    else shown.push(entry)
  }
  return shown
}

function takesBack(entry: Entry, before: Entry): boolean {
  if (entry.kind !== 'activity' || before.kind !== 'activity' || entry.actor.id !== before.actor.id)
    return false
  if (Date.parse(entry.createdAt) - Date.parse(before.createdAt) > UNDONE_WITHIN_MS) return false
  return (
    entry.changes.length === before.changes.length &&
    entry.changes.every(({ field, from, to }) =>
      before.changes.some(
        (other) => other.field === field && isSameValue(other.from, to) && isSameValue(other.to, from),
      ),
    )
  )
}

/** Tags are compared as sets. */
function isSameValue(one: Change['from'], other: Change['from']): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return (one ?? null) === (other ?? null)
  return one.length === other.length && one.every((tag) => other.includes(tag))
}

/** How many entries at the beginning are folded away: nothing unread, and never just a few. */
function foldedCount(timeline: readonly Entry[], { unreadFrom, shownCount }: Shape): number {
  const spoken = timeline.flatMap((entry, at) => (isSpeech(entry) ? [at] : []))
  const firstShown = spoken.at(-shownCount) ?? 0
  const unreadAt = timeline.findIndex(({ id }) => id === unreadFrom)
  const firstNew = Math.max(unreadAt, spoken.at(-MOST_UNREAD_SHOWN) ?? 0)
  const end = unreadAt < 0 ? firstShown : Math.min(firstShown, firstNew)
  return speechCount(timeline.slice(0, end)) < LEAST_FOLDED ? 0 : end
}

function speechCount(entries: readonly Entry[]): number {
  return entries.filter(isSpeech).length
}

/** The day in the time zone of this browser. */
function dayOf(at: string): string {
  return new Date(at).toDateString()
}

/** The newest message of an agent other than this one: what makes a reply wait. */
export function newestByOthers(
  timeline: readonly Entry[],
  agentId: string | undefined,
): MessageEntry | undefined {
  return timeline.findLast(
    (entry): entry is MessageEntry =>
      entry.kind === 'message' && entry.role === 'agent' && entry.agentId !== agentId,
  )
}
