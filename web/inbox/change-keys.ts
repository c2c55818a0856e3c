import { type KeyAction, useKeys } from '../keys/keys.ts'
import { undoLast } from '../ticket/undo.ts'
import { toast } from '../ui/toaster.tsx'
import type { Changing } from './changing.ts'
import type { Place } from './place.ts'
import type { TicketList } from './ticket-list.ts'

interface ChangeInput {
  list: TicketList
  changing: Changing
  place: Place
  me: () => string
  pickAssignee: () => void
  pickTags: () => void
}

/** What is done to tickets: status, assignee, tags, spam, undo. */
export function useChangeKeys({ list, changing, place, me, pickAssignee, pickTags }: ChangeInput): void {
  const has = () => changing.targets().length > 0

  function resolveAndNext(): void {
    const targets = changing.targets()
    const next = list.nextHere(targets.at(-1))
    changing.change({ status: 'resolved' })
    if (next === undefined || targets.includes(next)) return
    list.goTo(next)
    if (place.headingFor() !== undefined) place.openTicket(next)
  }

  async function undo(): Promise<void> {
    if (!(await undoLast())) toast('There is nothing to undo.')
  }

  useKeys(() => {
    const isSpam = changing.areSpam()
    const isFirst = changing.isSelection()
    const actions: KeyAction[] = [
      {
        id: 'ticket.resolve',
        label: 'Resolve',
        section: 'Ticket',
        keys: ['e'],
        run: () => changing.change({ status: 'resolved' }),
        isEnabled: has,
      },
      {
        id: 'ticket.resolve-next',
        label: 'Resolve and open the next',
        section: 'Ticket',
        keys: ['E'],
        run: resolveAndNext,
        isEnabled: has,
      },
      {
        id: 'ticket.pending',
        label: 'Set to pending',
        section: 'Ticket',
        keys: ['p'],
        run: () => changing.change({ status: 'pending' }),
        isEnabled: has,
      },
      {
        id: 'reopen',
        label: 'Reopen',
        section: 'Ticket',
        keys: ['O'],
        run: () => changing.change({ status: 'open' }),
        isEnabled: has,
      },
      {
        id: 'ticket.assign',
        label: 'Assign…',
        section: 'Ticket',
        keys: ['a'],
        run: pickAssignee,
        isEnabled: has,
      },
      {
        id: 'ticket.assign-me',
        label: 'Assign to me',
        section: 'Ticket',
        keys: ['i'],
        run: () => changing.change({ assignedTo: me() }, 'Assigned to you'),
        isEnabled: has,
      },
      { id: 'ticket.tag', label: 'Tags…', section: 'Ticket', keys: ['t'], run: pickTags, isEnabled: has },
      {
        id: 'spam',
        label: isSpam ? 'Not spam' : 'Mark as spam',
        section: 'Ticket',
        keys: ['!'],
        run: () => changing.change({ isSpam: !isSpam }),
        isEnabled: has,
      },
      {
        id: 'undo',
        label: 'Undo the last change',
        section: 'Ticket',
        keys: ['mod+z'],
        run: () => void undo(),
      },
    ]
    return actions.map((action) => ({ ...action, isFirst }))
  })
}
