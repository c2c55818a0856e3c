import { type Accessor, createMemo } from 'solid-js'
import { isNotFound } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { changeTickets } from '../../ticket/changes/change-ticket.ts'
import type { TicketChange } from '../../ticket/changes/optimistic.ts'
import { ticketQuery } from '../../ticket/ticket-query.ts'
import type { Row } from '../inbox-data.ts'
import type { Place } from '../location.ts'
import type { Selection } from './selection.ts'
import type { TicketList } from './ticket-list.ts'

/** In letters: a notice is about one line. */
const LONGEST_NAME = 40

export type Changing = ReturnType<typeof createChanging>

/** Changes what is selected; without a selection what is open, or the row the person is at. */
export function createChanging(list: TicketList, selection: Selection, place: Place) {
  const meant: Accessor<readonly string[]> = createMemo(() => {
    if (selection.list().length > 0) return selection.list()
    const one = place.headingFor() ?? list.cursor()
    return one === undefined ? [] : [one]
  })
  /** Asked at the moment of a change: what was deleted meanwhile is not changed, nor anything in its place. */
  const targets = () => meant().filter((id) => !isGone(id) && list.learned(id) !== 'deleted')
  const rows = createMemo(() =>
    targets()
      .map(list.row)
      .filter((row) => row !== undefined),
  )

  /** Answers those that were not changed. */
  async function change(given: TicketChange, done?: string): Promise<string[]> {
    const ids = targets()
    const [row] = rows()
    return ids.length === 0 ? [] : changeTickets(ids, given, { done, name: row && nameOf(row) })
  }

  /** Several are done with at once: the selection has served, but for those that the server refuses. */
  async function changeAndClear(given: TicketChange, done?: string): Promise<void> {
    const isSelection = selection.list().length > 0
    const viewId = place.viewId()
    const changing = change(given, done)
    selection.clear()
    const rest = await changing
    if (isSelection && selection.list().length === 0 && place.viewId() === viewId) selection.choose(rest)
  }

  return {
    targets,
    isSelection: () => selection.list().length > 0,
    /** A row that cannot be seen is shown instead of changed; the next press changes it. True when it was shown. */
    comesIntoSight(): boolean {
      const isSeen = selection.list().length > 0 || place.headingFor() !== undefined || !list.isAway()
      if (!isSeen) list.comeBack()
      return !isSeen
    },
    rows,
    change: (given: TicketChange, done?: string) => void changeAndClear(given, done),
    /** Keeps the selection, for one change after the other. */
    changeOn: (given: TicketChange, done?: string) => void change(given, done),
    /** What all of them have. */
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

/** What notices call a ticket. */
function nameOf({ subject, customer }: Row): string {
  const letters = [...(subject || customer.name)]
  return letters.length > LONGEST_NAME
    ? `${letters.slice(0, LONGEST_NAME).join('').trimEnd()}…`
    : letters.join('')
}

function isGone(id: string): boolean {
  return isNotFound(queries.getQueryState(ticketQuery(id).queryKey)?.error)
}
