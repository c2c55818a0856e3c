import { type KeyAction, useKeys } from '../../keyboard/keys.ts'
import { undoLast } from '../../ticket/changes/undo.ts'
import { toast } from '../../ui/toaster.tsx'
import type { Place } from '../location.ts'
import type { Changing } from './bulk-actions.ts'
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
    const actions: Omit<KeyAction, 'section'>[] = [
      {
        id: 'ticket.resolve',
        label: 'Resolve',
        keys: ['e'],
        run: () => changing.change({ status: 'resolved' }),
      },
      {
        id: 'ticket.resolve-next',
        label: 'Resolve and open the next',
        keys: ['E'],
        run: resolveAndNext,
      },
      {
        id: 'ticket.pending',
        label: 'Set to pending',
        keys: ['p'],
        run: () => changing.change({ status: 'pending' }),
      },
      {
        id: 'reopen',
        label: 'Reopen',
        keys: ['O'],
        run: () => changing.change({ status: 'open' }),
      },
      {
        id: 'ticket.assign',
        label: 'Assign…',
        keys: ['a'],
        run: pickAssignee,
      },
      {
        id: 'ticket.assign-me',
        label: 'Assign to me',
        keys: ['i'],
        run: () => changing.change({ assignedTo: me() }, 'Assigned to you'),
      },
      { id: 'ticket.tag', label: 'Tags…', keys: ['t'], run: pickTags },
      {
        id: 'spam',
        label: isSpam ? 'Not spam' : 'Mark as spam',
        keys: ['!'],
        run: () => changing.change({ isSpam: !isSpam }),
      },
    ]
    return [
      ...actions.map(
        (action): KeyAction => ({
          ...action,
          section: 'Ticket',
          isEnabled: has,
          isFirst,
          run: () => changing.comesIntoSight() || action.run(),
        }),
      ),
      {
        id: 'undo',
        label: 'Undo the last change',
        section: 'Ticket',
        keys: ['mod+z'],
        run: () => void undo(),
      },
    ]
  })
}
