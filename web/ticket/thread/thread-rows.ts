import type { ActivityEntry, Entry, MessageEntry, NoteEntry } from '../ticket-query.ts'

export type MessageOrNote = MessageEntry | NoteEntry
type Change = ActivityEntry['changes'][number]

/** One row of a thread. Its id stays the same between reads, so that its element on the page is kept. */
export type ThreadRow =
  | { kind: 'day'; id: string; at: string }
  | { kind: 'earlier'; id: string; count: number }
  | { kind: 'new'; id: string }
  | { kind: 'messages'; id: string; items: MessageOrNote[] }
  | { kind: 'activity'; id: string; items: ActivityEntry[] }

interface Display {
  /** The first message that was unread when the ticket was opened. */
  unreadFrom: string | undefined
  /** How many of the newest messages are shown. Unread messages are always shown. */
  shownCount: number
}

/** Messages from one sender within this time form a group under one name. */
const GROUP_WITHIN_MS = 5 * 60_000
/** A long thread opens with this many of its newest messages. */
const INITIAL_COUNT = 3
/** With more unread messages than this, the older ones are folded too. */
const MAX_UNREAD_SHOWN = 50
/** Fewer messages than this are not folded. */
const MIN_FOLDED = 6
/** If an agent reverts a change within this time, neither of the two is shown. */
const REVERT_WITHIN_MS = 10_000

/** The rows of a thread, grouped by day and sender. The older part of a long thread is folded. */
export function threadRows(timeline: readonly Entry[], display: Display): ThreadRow[] {
  const shown = withoutReverted(timeline)
  const folded = foldedCount(shown, display)
  const rows: ThreadRow[] = []
  if (folded > 0) rows.push({ kind: 'earlier', id: 'earlier', count: countMessages(shown.slice(0, folded)) })
  let day = ''
  for (const entry of shown.slice(folded)) {
    const today = dayOf(entry.createdAt)
    if (today !== day) rows.push({ kind: 'day', id: `day ${today}`, at: entry.createdAt })
    day = today
    if (entry.id === display.unreadFrom) rows.push({ kind: 'new', id: 'new' })
    addEntry(rows, entry)
  }
  return rows
}

/** Whether two rows have the same content, so that nothing has to be rendered again. */
export function isSameRow(one: ThreadRow | undefined, other: ThreadRow | undefined): boolean {
  if (!one || !other || one.kind !== other.kind || one.id !== other.id) return one === other
  if (one.kind === 'earlier' && other.kind === 'earlier') return one.count === other.count
  if (!('items' in one && 'items' in other)) return true
  return one.items.length === other.items.length && one.items.every((item, at) => item === other.items[at])
}

/**
 * The customer's first message after the last one that was read. If none was read, the first one after the newest reply.
 */
export function firstUnread(timeline: readonly Entry[], readUpTo: string | null): string | undefined {
  const readAt =
    readUpTo === null ? timeline.findLastIndex(isReply) : timeline.findIndex(({ id }) => id === readUpTo)
  return timeline.find((entry, at) => at > readAt && isFromCustomer(entry))?.id
}

/** How many messages to show at first, so that the oldest one that someone looks for is among them. */
export function initialCount(timeline: readonly Entry[], isMatch: (entry: MessageOrNote) => boolean): number {
  const messages = timeline.filter(isMessageOrNote)
  const first = messages.findIndex(isMatch)
  const count = first < 0 ? 0 : messages.length - first
  return Math.max(INITIAL_COUNT, Math.min(count, MAX_UNREAD_SHOWN))
}

export function isMessageOrNote(entry: Entry): entry is MessageOrNote {
  return entry.kind !== 'activity'
}

function isFromCustomer(entry: Entry): boolean {
  return entry.kind === 'message' && entry.role === 'customer'
}

function isReply(entry: Entry): boolean {
  return entry.kind === 'message' && entry.role === 'agent'
}

/** The newest message from the customer or an agent. A reply is written with this one in view. */
export function newestMessage(timeline: readonly Entry[]): MessageEntry | undefined {
  return timeline.findLast((entry) => entry.kind === 'message')
}

/** Identifies the sender, for grouping. A note is never grouped with a reply. */
function senderOf(entry: MessageOrNote): string {
  if (entry.kind === 'note') return `note ${entry.agentId}`
  const writer =
    entry.role === 'customer'
      ? `customer ${entry.author ?? ''} ${entry.email?.from.address ?? entry.authorName ?? ''} ${entry.isAutomatic ?? false}`
      : `agent ${entry.agentId ?? entry.agentName ?? ''}`
  return `${writer} ${recipientsOf(entry)}`
}

/** A group shows once to whom it went, and that it was forwarded. */
function recipientsOf({ email }: MessageEntry): string {
  if (!email) return ''
  const { forwardOf = '', to, cc = [], bcc = [] } = email
  return [{ address: forwardOf }, ...to, { address: '' }, ...cc, { address: '' }, ...bcc]
    .map(({ address }) => address)
    .join()
}

function addEntry(rows: ThreadRow[], entry: Entry): void {
  const last = rows.at(-1)
  if (!isMessageOrNote(entry)) {
    if (last?.kind === 'activity') last.items.push(entry)
    else rows.push({ kind: 'activity', id: entry.id, items: [entry] })
    return
  }
  if (last?.kind === 'messages' && isSameGroup(last.items.at(-1), entry)) last.items.push(entry)
  else rows.push({ kind: 'messages', id: entry.id, items: [entry] })
}

function isSameGroup(before: MessageOrNote | undefined, entry: MessageOrNote): boolean {
  if (!before || senderOf(before) !== senderOf(entry)) return false
  return Date.parse(entry.createdAt) - Date.parse(before.createdAt) <= GROUP_WITHIN_MS
}

function withoutReverted(timeline: readonly Entry[]): Entry[] {
  const shown: Entry[] = []
  for (const entry of timeline) {
    const last = shown.at(-1)
    if (last && isRevertOf(entry, last)) shown.pop()
    else shown.push(entry)
  }
  return shown
}

function isRevertOf(entry: Entry, before: Entry): boolean {
  if (entry.kind !== 'activity' || before.kind !== 'activity') return false
  // An agent who undoes what a program did for them has the same id.
  if (entry.actor.id !== before.actor.id || entry.actor.name !== before.actor.name) return false
  if (Date.parse(entry.createdAt) - Date.parse(before.createdAt) > REVERT_WITHIN_MS) return false
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

/** How many of the oldest entries are folded. Unread messages are not, and neither are just a few. */
function foldedCount(timeline: readonly Entry[], { unreadFrom, shownCount }: Display): number {
  const messagesAt = timeline.flatMap((entry, at) => (isMessageOrNote(entry) ? [at] : []))
  const firstShown = messagesAt.at(-shownCount) ?? 0
  const unreadAt = timeline.findIndex(({ id }) => id === unreadFrom)
  const firstNew = Math.max(unreadAt, messagesAt.at(-MAX_UNREAD_SHOWN) ?? 0)
  const end = unreadAt < 0 ? firstShown : Math.min(firstShown, firstNew)
  return countMessages(timeline.slice(0, end)) < MIN_FOLDED ? 0 : end
}

function countMessages(entries: readonly Entry[]): number {
  return entries.filter(isMessageOrNote).length
}

/** The day, in the browser's time zone. */
function dayOf(at: string): string {
  return new Date(at).toDateString()
}
