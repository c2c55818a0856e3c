import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import { undoLast } from '../../ticket/changes/undo.ts'
import { knownTicket } from '../../ticket/ticket-query.ts'
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
  pickSnooze: () => void
}

/** Keys that change tickets: status, assignee, tags, spam, undo. */
export function useChangeKeys({
  list,
  bulkActions,
  location,
  me,
  pickAssignee,
  pickTags,
  pickSnooze,
}: ChangeKeysInput): void {
  const hasTargets = () => bulkActions.targets().length > 0

  function resolveAndNext(): void {
    const targets = bulkActions.targets()
    const last = targets.at(-1)
    const next = list.nextMatching(last)
    const canGoOn = next !== undefined && !targets.includes(next)
    const viewId = location.viewId()
    bulkActions.change({ status: 'resolved' }, undefined, () => {
      // Undo returns to the ticket, unless the agent has moved on.
      const current = location.targetTicketId() ?? list.cursor()
      if (canGoOn && current === next && location.viewId() === viewId && last !== undefined) goTo(last)
    })
    if (canGoOn) goTo(next)
  }

  function goTo(id: string): void {
    list.goTo(id)
    if (location.targetTicketId() !== undefined) location.openTicket(id)
  }

  const isSnoozed = (id: string) => Boolean((list.row(id) ?? knownTicket(id)?.ticket)?.snoozedUntil)

  async function undo(): Promise<void> {
    if (!(await undoLast())) toast('Nothing to undo')
  }

  useKeys(() => {
    const isSpam = bulkActions.areSpam()
    const isFirst = bulkActions.isSelection()
    const { change } = bulkActions
    const actions = actionsIn('Ticket', [
      { id: 'ticket.resolve', label: 'Resolve', keys: ['e'], run: () => change({ status: 'resolved' }) },
      { id: 'ticket.resolve-next', label: 'Resolve and next', keys: ['E'], run: resolveAndNext },
      {
        id: 'ticket.pending',
        label: 'Set to pending',
        keys: ['p'],
        run: () => change({ status: 'pending' }),
      },
      { id: 'reopen', label: 'Reopen', keys: ['O'], run: () => change({ status: 'open' }) },
      { id: 'ticket.assign', label: 'Assign…', keys: ['a'], run: pickAssignee },
      {
        id: 'ticket.assign-me',
        label: 'Assign to me',
        keys: ['i'],
        run: () => change({ assignedTo: me() }, 'Assigned to you'),
      },
      { id: 'ticket.tag', label: 'Tags…', keys: ['t'], run: pickTags },
      { id: 'snooze', label: 'Snooze…', keys: ['s'], run: pickSnooze },
      {
        id: 'wake',
        label: 'Wake now',
        keys: [],
        isEnabled: () => bulkActions.targets().some(isSnoozed),
        run: () => change({ snoozedUntil: null }),
      },
      {
        id: 'spam',
        label: isSpam ? 'Not spam' : 'Mark as spam',
        keys: ['!'],
        run: () => change({ isSpam: !isSpam }),
      },
    ])
    const onTargets = actions.map(({ run, isEnabled = hasTargets, ...action }) => ({
      ...action,
      isEnabled,
      isFirst,
      run: () => bulkActions.revealTarget() || run(),
    }))
    return [
      ...onTargets,
      { id: 'undo', label: 'Undo', section: 'Ticket', keys: ['mod+z'], run: () => void undo() },
    ]
  })
}
