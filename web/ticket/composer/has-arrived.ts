import type { TicketDetail } from '../ticket-query.ts'
import type { Attempt, DraftKind } from './stored-draft.ts'

interface Where {
  kind: DraftKind
  agentId: string
  detail: TicketDetail
}

/** Which of the texts that were sent without an answer (so far) stands in the thread. */
export function hasArrived(
  { tried, after }: Pick<Attempt, 'tried' | 'after'>,
  where: Where,
): string | undefined {
  return newTexts(after, where).flatMap((text) => tried.filter((one) => one.trim() === text.trim()))[0]
}

/** The newest id of a thread. They sort by time behind their prefix, and a reply keeps its own when it is sent. */
export function newestId({ timeline, waiting }: TicketDetail): string {
  const times = [...timeline, ...waiting].map(({ id }) => timeOf(id))
  return times.sort().at(-1) ?? ''
}

/** What this agent has written since, of that kind. */
function newTexts(after: string, { kind, agentId, detail }: Where): string[] {
  const said = detail.timeline.flatMap((entry) => {
    if (entry.kind === 'activity' || (entry.kind === 'note') !== (kind === 'note')) return []
    return [entry]
  })
  const waiting = kind === 'reply' ? detail.waiting : []
  return [...said, ...waiting].flatMap((one) =>
    one.agentId === agentId && timeOf(one.id) > after ? [one.text] : [],
  )
}

function timeOf(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}
