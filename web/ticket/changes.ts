import { api, ask } from '../api.ts'
import { sentenceOf } from '../problem.ts'
import { toastError } from '../ui/toaster.tsx'
import {
  type Before,
  type Changeable,
  changed,
  holdPending,
  type TicketChange,
  withPending,
} from './pending.ts'
import { knownRow, patchRows } from './rows.ts'
import { knownTicket, patchTicket, readTicketAgain } from './ticket-data.ts'
import { pushUndo } from './undo.ts'

interface Item {
  id: string
  change: TicketChange
}

/** What one request may change, and how long it may be: the server takes 256 KiB. */
const MOST_ITEMS = 500
const MOST_BYTES = 200_000

/** Changes one ticket: on the screen at once, with an Undo, and back again with the reason when the server refuses. */
export function changeTicket(id: string, change: TicketChange): Promise<boolean> {
  return changeTickets([id], change)
}

/** Changes several tickets in the same way, with one Undo for all, which says `label`. Answers whether it was done. */
export async function changeTickets(
  ids: string[],
  change: TicketChange,
  label = whatOf(change),
): Promise<boolean> {
  const said = ids.length === 1 ? label : `${label}: ${ids.length} tickets`
  const done = apply(
    ids.map((id) => ({ id, change })),
    `Not done: ${said}.`,
  )
  const forget = pushUndo({
    label: said,
    undo: async () => {
      const before = await done
      if (!before) return
      await apply(
        before.map((one) => ({ id: one.id, change: one.before })),
        `Not taken back: ${said}.`,
      )
    },
  })
  const isDone = (await done) !== undefined
  // What has not happened is neither said to be done nor taken back.
  if (!isDone) forget()
  return isDone
}

/** What the tickets were before, for the Undo; nothing when it was refused. */
async function apply(items: Item[], failed: string): Promise<{ id: string; before: Before }[] | undefined> {
  const shown = items.map(show)
  try {
    const answers = await Promise.all(
      chunks(items).map((some) => ask(api.console.bulk.post({ items: some }))),
    )
    for (const { confirm } of shown) confirm()
    for (const { id } of items) void readTicketAgain(id)
    return answers.flatMap(({ data }) => data)
  } catch (error) {
    for (const { refuse } of shown) refuse()
    toastError(`${failed} ${sentenceOf(error)}`)
    return undefined
  }
}

/** Shows one change everywhere; how it goes on is up to the server. */
function show({ id, change }: Item): { confirm(): void; refuse(): void } {
  const before = knownTicket(id)?.ticket ?? knownRow(id)
  const release = holdPending(id, change)
  patchEverywhere(id, (row) => changed(row, change))
  return {
    confirm: release,
    refuse() {
      release()
      if (!before) return
      const { status, assignedTo, tags, isSpam } = before
      patchEverywhere(id, (row) => withPending({ ...row, status, assignedTo, tags, isSpam }))
    },
  }
}

function patchEverywhere(id: string, change: <Row extends Changeable>(row: Row) => Row): void {
  patchTicket(id, (known) => ({ ...known, ticket: change(known.ticket) }))
  patchRows(id, change)
}

/** An Undo carries all tags of its tickets. */
function chunks(items: Item[]): Item[][] {
  const all: Item[][] = []
  let bytes = 0
  for (const item of items) {
    const size = new TextEncoder().encode(JSON.stringify(item)).length
    const last = all.at(-1)
    if (last && last.length < MOST_ITEMS && bytes + size <= MOST_BYTES) {
      last.push(item)
      bytes += size
    } else {
      all.push([item])
      bytes = size
    }
  }
  return all
}

function whatOf({ status, assignedTo, isSpam }: TicketChange): string {
  if (status === 'resolved') return 'Resolved'
  if (status === 'pending') return 'Set to pending'
  if (status === 'open') return 'Reopened'
  if (assignedTo !== undefined) return assignedTo ? 'Assigned' : 'Assigned to nobody'
  if (isSpam !== undefined) return isSpam ? 'Marked as spam' : 'Not spam'
  return 'Tags changed'
}
