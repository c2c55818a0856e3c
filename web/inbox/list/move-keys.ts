import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import type { InboxLocation } from '../location.ts'
import type { Selection } from './selection.ts'
import type { TicketList } from './ticket-list.ts'

interface MoveKeysInput {
  list: TicketList
  selection: Selection
  location: InboxLocation
  focusSearch: () => void
}

/** Keys that move through the list: next, open, back, select. */
export function useMoveKeys({ list, selection, location, focusSearch }: MoveKeysInput): void {
  function move(step: number): void {
    const at = list.cursor()
    const next = at === undefined || list.indexOf(at) < 0 ? list.ids()[0] : nextVisible(step)
    if (next === undefined) return
    list.goTo(next)
    if (location.targetTicketId() !== undefined) location.openTicketDebounced(next)
  }

  /** Continues from the cursor or the open ticket, or from the first visible row when the cursor is scrolled away. */
  function nextVisible(step: number): string | undefined {
    const isOpen = location.targetTicketId() === list.cursor()
    return list.isCursorHidden() && !isOpen ? list.firstVisible() : list.neighbor(step)
  }

  function extend(step: number): void {
    const isHidden = list.isCursorHidden()
    const at = isHidden ? list.firstVisible() : list.cursor()
    const next = isHidden ? at : list.neighbor(step)
    if (at === undefined) return
    selection.step(at, next ?? at)
    if (next !== undefined) list.goTo(next)
  }

  function back(): void {
    if (selection.list().length > 0) selection.clear()
    else if (location.targetTicketId() !== undefined) location.closeTicket()
    else location.leaveSearch()
  }

  /** A key never acts on a row that is scrolled out of view: the first press only shows it. */
  function onVisible(run: (id: string) => void): void {
    if (list.isCursorHidden()) list.revealCursor()
    else run(list.cursor() ?? '')
  }

  const isInList = () => document.activeElement?.closest('.virtual-list') !== null
  const hasRows = () => list.ids().length > 0
  const moving = { isRepeated: true, isEnabled: hasRows }
  const arrow = { isRepeated: true, isKeyOnly: true, isUnlisted: true, isEnabled: isInList }
  useKeys(() => [
    ...actionsIn('Move', [
      { id: 'next', label: 'Next ticket', keys: ['j'], run: () => move(1), ...moving },
      { id: 'previous', label: 'Previous ticket', keys: ['k'], run: () => move(-1), ...moving },
      { id: 'down', label: 'Down', keys: ['down'], run: () => move(1), ...arrow },
      { id: 'up', label: 'Up', keys: ['up'], run: () => move(-1), ...arrow },
      {
        id: 'open',
        label: 'Open',
        keys: ['enter'],
        otherKeys: [['o']],
        run: () => onVisible(location.openTicket),
        isEnabled: hasRows,
      },
      { id: 'back', label: 'Back', keys: ['u'], otherKeys: [['escape']], run: back },
      { id: 'search', label: 'Search', keys: ['/'], run: focusSearch },
      {
        id: 'show-new',
        label: 'Show new tickets',
        keys: ['.'],
        run: () => list.showArrivals(),
        isEnabled: () => list.arrivals().length > 0,
      },
    ]),
    ...actionsIn('Select', [
      {
        id: 'select',
        label: 'Select',
        keys: ['x'],
        run: () => onVisible(selection.toggle),
        isEnabled: hasRows,
      },
      { id: 'select-down', label: 'Extend selection down', keys: ['J'], run: () => extend(1), ...moving },
      { id: 'select-up', label: 'Extend selection up', keys: ['K'], run: () => extend(-1), ...moving },
      {
        id: 'select-all',
        label: 'Select all',
        keys: ['mod+a'],
        run: selection.selectAll,
        isEnabled: hasRows,
      },
    ]),
  ])
}
