import { type Accessor, createEffect, untrack } from 'solid-js'
import { isNotFound } from '../problem.ts'
import { queries } from '../queries.ts'
import { type TicketDetail, ticketQuery } from '../ticket/ticket-data.ts'
import type { Row } from './inbox-data.ts'
import { whyLeft } from './left.ts'
import type { TicketList } from './ticket-list.ts'

/** What was heard of a row that somebody else took out of the list. */
export type Learned = Pick<Row, 'status' | 'assignedTo' | 'tags' | 'isSpam' | 'hasFailedSend'>

/** Asks once what became of the rows in sight that others took out of the list: its pages do not tell. */
export function useLeftRows(list: TicketList, inSight: Accessor<readonly string[]>): void {
  const asked = new Set<string>()
  createEffect(() => {
    const ids = inSight()
    for (const id of asked) if (!ids.includes(id)) asked.delete(id)
    for (const id of ids) {
      if (asked.has(id) || !untrack(() => isUnexplained(list, id))) continue
      asked.add(id)
      void ask(list, id)
    }
  })
}

function isUnexplained(list: TicketList, id: string): boolean {
  const row = list.row(id)
  return row !== undefined && whyLeft(list.before(id), row, new Map()) === undefined
}

async function ask(list: TicketList, id: string): Promise<void> {
  try {
    list.learn(id, learnedOf(await queries.fetchQuery({ ...ticketQuery(id), staleTime: 0 })))
  } catch (error) {
    if (isNotFound(error)) list.learn(id, 'deleted')
  }
}

function learnedOf({ ticket, timeline }: TicketDetail): Learned {
  const { status, assignedTo, tags, isSpam } = ticket
  const hasFailedSend = timeline.some(
    (entry) => entry.kind === 'message' && (entry.sending === 'failed' || entry.sending === 'bounced'),
  )
  return { status, assignedTo, tags, isSpam, hasFailedSend }
}
