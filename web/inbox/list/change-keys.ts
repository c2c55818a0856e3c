import { type KeyAction, useKeys } from '../../keyboard/keys.ts'
import { undoLast } from '../../ticket/changes/undo.ts'
import { toast } from '../../ui/toaster.tsx'
import type { InboxLocation } from '../location.ts'
import type { BulkActions } from './bulk-actions.ts'
import type { TicketList } from './ticket-list.ts'

interface ChangeKeysInput {
  list: TicketList
  bulkActions: BulkActions
  location: InboxLocation
  me: () => string
  pickAssignee: () => void
  pickTags: () => void
}

/** Keys that change tickets: status, assignee, tags, spam, undo. */
export function useChangeKeys({
  list,
  bulkActions,
  location,
  me,
  pickAssignee,
  pickTags,
}: ChangeKeysInput): void {
  const hasTargets = () => bulkActions.targets().length > 0

  function resolveAndNext(): void {
    const targets = bulkActions.targets()
    const next = list.nextMatching(targets.at(-1))
    bulkActions.change({ status: 'resolved' })
    if (next === undefined || targets.includes(next)) return
    list.goTo(next)
    if (location.targetTicketId() !== undefined) location.openTicket(next)
  }

  async function undo(): Promise<void> {
    if (!(await undoLast())) toast('Nothing to undo')
  }

  useKeys(() => {
    const isSpam = bulkActions.areSpam()
    const isFirst = bulkActions.isSelection()
    const actions: Omit<KeyAction, 'section'>[] = [
      {
        id: 'ticket.resolve',
        label: 'Resolve',
        keys: ['e'],
        run: () => bulkActions.change({ status: 'resolved' }),
      },
      {
        id: 'ticket.resolve-next',
        label: 'Resolve and next',
        keys: ['E'],
        run: resolveAndNext,
      },
      {
        id: 'ticket.pending',
        label: 'Set to pending',
        keys: ['p'],
        run: () => bulkActions.change({ status: 'pending' }),
      },
      {
        id: 'reopen',
        label: 'Reopen',
        keys: ['O'],
        run: () => bulkActions.change({ status: 'open' }),
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
        run: () => bulkActions.change({ assignedTo: me() }, 'Assigned to you'),
      },
      { id: 'ticket.tag', label: 'Tags…', keys: ['t'], run: pickTags },
      {
        id: 'spam',
        label: isSpam ? 'Not spam' : 'Mark as spam',
        keys: ['!'],
        run: () => bulkActions.change({ isSpam: !isSpam }),
      },
    ]
    return [
      ...actions.map(
        (action): KeyAction => ({
          ...action,
          section: 'Ticket',
          isEnabled: hasTargets,
          isFirst,
          run: () => bulkActions.revealTarget() || action.run(),
        }),
      ),
      {
        id: 'undo',
        label: 'Undo',
        section: 'Ticket',
        keys: ['mod+z'],
        run: () => void undo(),
      },
    ]
  })
}
