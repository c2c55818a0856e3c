import { errorMessage } from '../../api/api-problem.ts'
import { toastError } from '../../ui/toaster.tsx'
import { rowsById } from '../list-cache.ts'
import { knownTicket } from '../ticket-query.ts'
import { applyChanges, type Outcome } from './apply.ts'
import type { TicketChange } from './optimistic.ts'
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

function wordsOf({ status, assignedTo, isSpam }: TicketChange): Words {
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
