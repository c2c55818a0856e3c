import { useKeys } from '../../keyboard/keys.ts'
import type { Place } from '../location.ts'
import type { Selection } from './selection.ts'
import type { TicketList } from './ticket-list.ts'

interface MoveInput {
  list: TicketList
  selection: Selection
  place: Place
  focusSearch: () => void
}

/** Going through the list: move, open, back, select. */
export function useMoveKeys({ list, selection, place, focusSearch }: MoveInput): void {
  function move(step: number): void {
    const at = list.cursor()
    const next = at === undefined || list.placeOf(at) < 0 ? list.ids()[0] : nextSeen(step)
    if (next === undefined) return
    list.goTo(next)
    if (place.headingFor() !== undefined) place.openTicketSoon(next)
  }

  /** From what the person sees: the row of the keys, the open ticket, or else the rows that they have scrolled to. */
  function nextSeen(step: number): string | undefined {
    const isOpen = place.headingFor() === list.cursor()
    return list.isAway() && !isOpen ? list.firstInSight() : list.neighbour(step)
  }

  function extend(step: number): void {
    const isAway = list.isAway()
    const at = isAway ? list.firstInSight() : list.cursor()
    const next = isAway ? at : list.neighbour(step)
    if (at === undefined) return
    selection.step(at, next ?? at)
    if (next !== undefined) list.goTo(next)
  }

  function back(): void {
    if (selection.list().length > 0) selection.clear()
    else if (place.headingFor() !== undefined) place.closeTicket()
    else place.leaveSearch()
  }

  /** What cannot be seen is shown first; the next press does the rest. */
  function onSeen(run: (id: string) => void): void {
    if (list.isAway()) list.comeBack()
    else run(list.cursor() ?? '')
  }

  const isInList = () => document.activeElement?.closest('.list-scroller') !== null
  const has = () => list.ids().length > 0
  useKeys(() => [
    {
      id: 'next',
      label: 'Next ticket',
      section: 'Move',
      keys: ['j'],
      run: () => move(1),
      isRepeated: true,
      isEnabled: has,
    },
    {
      id: 'previous',
      label: 'Previous ticket',
      section: 'Move',
      keys: ['k'],
      run: () => move(-1),
      isRepeated: true,
      isEnabled: has,
    },
    {
      id: 'down',
      label: 'Down',
      section: 'Move',
      keys: ['down'],
      run: () => move(1),
      isRepeated: true,
      isKeyOnly: true,
      isUnlisted: true,
      isEnabled: isInList,
    },
    {
      id: 'up',
      label: 'Up',
      section: 'Move',
      keys: ['up'],
      run: () => move(-1),
      isRepeated: true,
      isKeyOnly: true,
      isUnlisted: true,
      isEnabled: isInList,
    },
    {
      id: 'open',
      label: 'Open',
      section: 'Move',
      keys: ['enter'],
      otherKeys: [['o']],
      run: () => onSeen(place.openTicket),
      isEnabled: has,
    },
    { id: 'back', label: 'Back', section: 'Move', keys: ['u'], otherKeys: [['escape']], run: back },
    { id: 'search', label: 'Search', section: 'Move', keys: ['/'], run: focusSearch },
    {
      id: 'show-new',
      label: 'Show new tickets',
      section: 'Move',
      keys: ['.'],
      run: () => list.showWaiting(),
      isEnabled: () => list.waiting().length > 0,
    },
    {
      id: 'select',
      label: 'Select',
      section: 'Select',
      keys: ['x'],
      run: () => onSeen(selection.toggle),
      isEnabled: has,
    },
    {
      id: 'select-down',
      label: 'Select and go down',
      section: 'Select',
      keys: ['J'],
      run: () => extend(1),
      isRepeated: true,
      isEnabled: has,
    },
    {
      id: 'select-up',
      label: 'Select and go up',
      section: 'Select',
      keys: ['K'],
      run: () => extend(-1),
      isRepeated: true,
      isEnabled: has,
    },
    {
      id: 'select-all',
      label: 'Select all that are loaded',
      section: 'Select',
      keys: ['mod+a'],
      run: () => selection.all(),
      isEnabled: () => has() && isInList(),
    },
  ])
}
