import type { Deps } from '../../deps.ts'
import type { AccountRow, Accounts } from './accounts.ts'

type ChangeState<Row> = (deps: Deps, orgId: string, id: string) => Promise<Row>

/** Verbs that pause and resume an account. Both do nothing for one that is in that state already. */
export function pauseAndResume<Row extends AccountRow & { state: string }>(
  { noun, change, save }: Accounts<Row>,
  of: {
    /** The columns of a paused and of an active one. */
    paused: Partial<Row>
    active: Partial<Row>
    /** Throws 409 for one that can't be active yet. */
    requireReady?: (before: Row) => void
  },
): [pause: ChangeState<Row>, resume: ChangeState<Row>] {
  return [
    (deps, orgId, id) =>
      change(deps, orgId, { id, action: `${noun}.paused` }, async (tx, before) => {
        if (before.state === 'paused') return before
        return save(tx, before, { ...of.paused, updatedAt: deps.clock.now() })
      }),
    (deps, orgId, id) =>
      change(deps, orgId, { id, action: `${noun}.resumed` }, async (tx, before) => {
        if (before.state === 'active') return before
        of.requireReady?.(before)
        return save(tx, before, { ...of.active, updatedAt: deps.clock.now() })
      }),
  ]
}
