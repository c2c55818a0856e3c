import { errorMessage } from '../../api/api-problem.ts'
import { toastError } from '../../ui/toaster.tsx'
import { applyChanges, type Outcome } from './apply.ts'
import type { TicketChange } from './optimistic.ts'
import { pushUndo } from './undo.ts'

/** Changes one ticket: on the screen at once, with an Undo, and back again with the reason when the server refuses. */
export async function changeTicket(id: string, change: TicketChange): Promise<void> {
  await changeTickets([id], change)
}

/**
 * Changes several tickets in the same way, with one Undo for all, which says what was done, and to which when it was one.
 * When only a part could be done, it says so, and the Undo is for that part. Answers the ids of those that were not changed.
 */
export async function changeTickets(
  ids: string[],
  change: TicketChange,
  words: { done?: string | undefined; name?: string | undefined } = {},
): Promise<string[]> {
  const label = words.done ?? whatOf(change)
  const which = ids.length === 1 ? words.name : ticketsOf(ids.length)
  const said = which ? `${label}: ${which}` : label
  const changing = applyChanges(ids.map((id) => ({ id, change })))
  const forget = pushUndo({ label: said, undo: async () => takeBack(said, await changing) })
  const outcome = await changing
  const { before, rest, error } = outcome
  if (rest.length === 0) return rest
  // What has not happened is neither said to be done nor taken back.
  const isTakenBack = !forget()
  if (before.length === 0) toastError(`Not done: ${said}. ${errorMessage(error)}`)
  else if (!isTakenBack) {
    const part = `${label}: ${partOf(before.length, ids.length)}. The rest were not changed. ${errorMessage(error)}`
    pushUndo({ label: part, isPart: true, undo: () => takeBack(said, outcome) })
  }
  return rest
}

async function takeBack(said: string, { before }: Outcome): Promise<void> {
  const undone = await applyChanges(before.map((one) => ({ id: one.id, change: one.before })))
  if (undone.rest.length === 0) return
  const reason = errorMessage(undone.error)
  if (undone.before.length === 0) toastError(`Not taken back: ${said}. ${reason}`)
  else {
    const part = partOf(undone.before.length, before.length)
    toastError(`Taken back: ${part}. The rest stay changed. ${reason}`)
  }
}

function partOf(done: number, all: number): string {
  return `${done.toLocaleString('en')} of ${ticketsOf(all)}`
}

function ticketsOf(count: number): string {
  return `${count.toLocaleString('en')} tickets`
}

function whatOf({ status, assignedTo, isSpam }: TicketChange): string {
  if (status === 'resolved') return 'Resolved'
  if (status === 'pending') return 'Set to pending'
  if (status === 'open') return 'Reopened'
  if (assignedTo !== undefined) return assignedTo ? 'Assigned' : 'Assigned to nobody'
  if (isSpam !== undefined) return isSpam ? 'Marked as spam' : 'Not spam'
  return 'Tags changed'
}
