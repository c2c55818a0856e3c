import type { Deps } from '../../deps.ts'
import { type Problem, problemOf, refusalOf } from '../../responses/problem.ts'
import { type InboxChange, updateTicket } from '../update-ticket.ts'

/** What became of one ticket: the HTTP status of a request of its own, and why it wasn't changed. */
export interface Outcome {
  id: string
  status: number
  problem?: Problem
}

/** Makes a change to each of these tickets, in their order, as `updateTicket` does. What one throws is its outcome. */
export function changeEach(
  deps: Deps,
  orgId: string,
  { ids, change, requestId }: { ids: string[]; change: InboxChange; requestId: string },
): Promise<Outcome[]> {
  // Units of one organization run one after the other. Those that are asked for together share a commit.
  return Promise.all(
    ids.map(async (id) => {
      try {
        await updateTicket(deps, orgId, { id, change })
        return { id, status: 200 }
      } catch (error) {
        const refusal = refusalOf(error)
        if (!refusal) deps.log.error('request_failed', { requestId, error })
        const problem = problemOf(refusal, requestId)
        return { id, status: problem.status, problem }
      }
    }),
  )
}
