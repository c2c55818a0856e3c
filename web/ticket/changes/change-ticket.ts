import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { toastError } from '../../ui/toaster.tsx'
import { patchRows, readListsAgain, rowsById } from '../list-cache.ts'
import { comingTime } from '../thread/times.ts'
import { knownTicket, patchTicket, readTicketAgain } from '../ticket-query.ts'
import {
  type Before,
  type Changeable,
  holdPending,
  type TicketChange,
  withChange,
  withPending,
} from './optimistic.ts'
import { pushUndo } from './undo.ts'

/** Changes one ticket: shown at once, with an Undo, and rolled back with the reason if the server refuses. */
export async function changeTicket(id: string, change: TicketChange, onUndo?: () => void): Promise<void> {
  await changeTickets([id], change, { onUndo })
}

interface ChangeOptions {
  /** Replaces the default label of the toast: "Assigned to Ben". */
  done?: string | undefined
  /** Called when the change is undone. */
  onUndo?: (() => void) | undefined
}

/**
 * Changes tickets in the same way, with one Undo for all. After a partial failure the Undo covers what was changed. Returns the ids that were not changed.
 */
export async function changeTickets(
  ids: string[],
  change: TicketChange,
  { done, onUndo }: ChangeOptions = {},
): Promise<string[]> {
  const words = wordsOf(change)
  const label = done ?? words.done
  const customer = ids.length === 1 ? customerOf(ids[0] ?? '') : undefined
  const subject = ids.length === 1 ? customer : ticketsOf(ids.length)
  const request = applyChanges(ids.map((id) => ({ id, change })))
  const forget = pushUndo({
    label: subject ? `${label}: ${subject}` : label,
    undo: async () => {
      onUndo?.()
      await revert(await request)
    },
  })
  const outcome = await request
  const { before, rest, error } = outcome
  if (rest.length === 0) return rest
  const isUndone = !forget()
  if (before.length === 0) {
    const object = ids.length > 1 ? ticketsOf(ids.length) : customer ? `${customer}'s ticket` : 'the ticket'
    toastError(`Couldn't ${words.fail(object)}. ${errorMessage(error)}`)
  } else if (!isUndone) {
    const part = `${label}: ${partOf(before.length, ids.length)}. The rest didn't change. ${errorMessage(error)}`
    pushUndo({ label: part, isPart: true, undo: () => revert(outcome) })
  }
  return rest
}

async function revert({ before }: Outcome): Promise<void> {
  const undone = await applyChanges(before.map((one) => ({ id: one.id, change: one.before })))
  if (undone.rest.length === 0) return
  const reason = errorMessage(undone.error)
  if (undone.before.length === 0) toastError(`Couldn't undo. ${reason}`)
  else {
    toastError(`Undone for ${partOf(undone.before.length, before.length)}. The rest stay changed. ${reason}`)
  }
}

function customerOf(id: string): string | undefined {
  return (knownTicket(id)?.ticket ?? rowsById().get(id))?.customer.name
}

function partOf(done: number, all: number): string {
  return `${done.toLocaleString()} of ${ticketsOf(all)}`
}

function ticketsOf(count: number): string {
  return `${count.toLocaleString()} tickets`
}

interface Words {
  /** What was done. */
  done: string
  /** Completes "Couldn't …". */
  fail: (object: string) => string
}

function wordsOf({ status, assignedTo, isSpam, snoozedUntil }: TicketChange): Words {
  if (snoozedUntil) {
    const until = comingTime(new Date(snoozedUntil))
    return { done: `Snoozed until ${until}`, fail: (object) => `snooze ${object}` }
  }
  if (snoozedUntil === null) return { done: 'Back in the inbox', fail: (object) => `wake ${object}` }
  if (status === 'resolved') return { done: 'Resolved', fail: (object) => `resolve ${object}` }
  if (status === 'pending') return { done: 'Set to pending', fail: (object) => `set ${object} to pending` }
  if (status === 'open') return { done: 'Reopened', fail: (object) => `reopen ${object}` }
  if (assignedTo) return { done: 'Assigned', fail: (object) => `assign ${object}` }
  if (assignedTo !== undefined) return { done: 'Unassigned', fail: (object) => `unassign ${object}` }
  if (isSpam) return { done: 'Marked as spam', fail: (object) => `mark ${object} as spam` }
  if (isSpam !== undefined)
    return { done: 'Marked as not spam', fail: (object) => `mark ${object} as not spam` }
  return { done: 'Tags changed', fail: (object) => `change the tags of ${object}` }
}

interface Item {
  id: string
  change: TicketChange
}

/** The result of changes: how to revert those that were made, and the ids of the others with the reason. */
interface Outcome {
  before: { id: string; before: Before }[]
  rest: string[]
  /** Set if `rest` isn't empty. */
  error?: unknown
}

/** Limits of one request. The server accepts 256 KiB. */
const MAX_ITEMS = 500
const MAX_BYTES = 200_000

/** Changes tickets: shown at once, and rolled back where the server refuses. Never throws. */
export async function applyChanges(items: Item[]): Promise<Outcome> {
  const parts = await Promise.all(chunks(items).map(applyPart))
  const rest = parts.flatMap((part) => part.rest)
  // A lost response doesn't say what was changed.
  if (rest.length > 0) readListsAgain()
  return {
    before: parts.flatMap(({ before }) => before),
    rest,
    error: parts.find(({ error }) => error !== undefined)?.error,
  }
}

/** The server may stop part of the way. Sent the rest again, it continues or returns the reason. */
async function applyPart(items: Item[]): Promise<Outcome> {
  const shown = show(items)
  const before: Outcome['before'] = []
  let rest = items
  let error: unknown
  try {
    while (rest.length > 0) {
      const answer = await ask(api.console.bulk.post({ items: rest }))
      before.push(...answer.data)
      const remaining = new Set(answer.rest)
      shown.confirm((id) => !remaining.has(id))
      rest = rest.filter(({ id }) => remaining.has(id))
    }
  } catch (reason) {
    error = reason
    const refused = new Set(rest.map(({ id }) => id))
    shown.refuse((id) => refused.has(id))
  }
  for (const { id } of items) void readTicketAgain(id)
  return { before, rest: rest.map(({ id }) => id), error }
}

/** Applies the changes everywhere on the page. The caller then confirms or reverts each. */
function show(items: Item[]) {
  const rows = rowsById()
  const held = items.map(({ id, change }) => ({
    id,
    before: knownTicket(id)?.ticket ?? rows.get(id),
    release: holdPending(id, change),
  }))
  patchEverywhere(items.map(({ id, change }) => [id, (row) => withChange(row, change)]))
  const end = (isIncluded: (id: string) => boolean) => {
    const ended = held.filter(({ id }) => isIncluded(id))
    for (const { release } of ended) release()
    return ended
  }
  return {
    confirm: end,
    refuse(isIncluded: (id: string) => boolean): void {
      patchEverywhere(
        end(isIncluded).flatMap(({ id, before }): [string, Patch][] => {
          if (!before) return []
          const { status, assignedTo, tags, isSpam, snoozedUntil } = before
          return [[id, (row) => withPending({ ...row, status, assignedTo, tags, isSpam, snoozedUntil })]]
        }),
      )
    },
  }
}

type Patch = <Row extends Changeable>(row: Row) => Row

function patchEverywhere(patches: [string, Patch][]): void {
  for (const [id, patch] of patches) {
    patchTicket(id, (known) => ({ ...known, ticket: patch(known.ticket) }))
  }
  patchRows(new Map(patches))
}

/** Splits the changes into requests. An Undo sends all tags of its tickets, so size counts too. */
function chunks(items: Item[]): Item[][] {
  const all: Item[][] = []
  let bytes = 0
  for (const item of items) {
    const size = new TextEncoder().encode(JSON.stringify(item)).length
    const last = all.at(-1)
    if (last && last.length < MAX_ITEMS && bytes + size <= MAX_BYTES) {
      last.push(item)
      bytes += size
    } else {
      all.push([item])
      bytes = size
    }
  }
  return all
}
