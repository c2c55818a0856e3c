import { type Accessor, createMemo } from 'solid-js'
import { changeTickets } from '../../ticket/changes/change-ticket.ts'
import type { TicketChange } from '../../ticket/changes/optimistic.ts'
import { isDeletedTicket } from '../../ticket/ticket-query.ts'
import type { InboxLocation } from '../location.ts'
import type { Selection } from './selection.ts'
import type { TicketList } from './ticket-list.ts'

export type BulkActions = ReturnType<typeof createBulkActions>

/** Changes the selected tickets. Without a selection, the open ticket, or the one at the cursor. */
export function createBulkActions(list: TicketList, selection: Selection, location: InboxLocation) {
  const candidates: Accessor<readonly string[]> = createMemo(() => {
    if (selection.list().length > 0) return selection.list()
    const one = location.targetTicketId() ?? list.cursor()
    return one === undefined ? [] : [one]
  })
  /** Evaluated at the moment of a change, so that tickets deleted in the meantime are skipped. */
  const targets = () =>
    candidates().filter((id) => !isDeletedTicket(id) && list.departedState(id) !== 'deleted')
  const rows = createMemo(() =>
    targets()
      .map(list.row)
      .filter((row) => row !== undefined),
  )

  /** Returns the ids that were not changed. */
  async function change(ticketChange: TicketChange, done?: string, onUndo?: () => void): Promise<string[]> {
    const ids = targets()
    return ids.length === 0 ? [] : changeTickets(ids, ticketChange, { done, onUndo })
  }

  /** Clears the selection at once, and selects again what the server refused. */
  async function changeAndClear(
    ticketChange: TicketChange,
    done?: string,
    onUndo?: () => void,
  ): Promise<void> {
    const isSelection = selection.list().length > 0
    const viewId = location.viewId()
    const request = change(ticketChange, done, onUndo)
    selection.clear()
    const refused = await request
    if (isSelection && selection.list().length === 0 && location.viewId() === viewId) {
      selection.select(refused)
    }
  }

  return {
    targets,
    isSelection: () => selection.list().length > 0,
    /** A key never changes a row that is scrolled out of view: the first press only shows it. True when it did. */
    revealTarget(): boolean {
      const isVisible =
        selection.list().length > 0 || location.targetTicketId() !== undefined || !list.isCursorHidden()
      if (!isVisible) list.revealCursor()
      return !isVisible
    },
    rows,
    /** `onUndo` is called when the change is undone. */
    change: (ticketChange: TicketChange, done?: string, onUndo?: () => void) =>
      void changeAndClear(ticketChange, done, onUndo),
    /** Keeps the selection, for one change after another. */
    changeAndKeep: (ticketChange: TicketChange, done?: string) => void change(ticketChange, done),
    /** The tags that all of them have. */
    commonTags: createMemo(() => {
      const [first, ...others] = rows()
      return first?.tags.filter((tag) => others.every(({ tags }) => tags.includes(tag))) ?? []
    }),
    commonAssignee: createMemo(() => {
      const [first, ...others] = rows()
      const isCommon = first && others.every(({ assignedTo }) => assignedTo === first.assignedTo)
      return isCommon ? [first.assignedTo ?? ''] : []
    }),
    areSpam: () => rows().length > 0 && rows().every(({ isSpam }) => isSpam),
  }
}
