import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { startPeriodic } from '../jobs/pruning.ts'
import type { Loop } from '../loop.ts'

/** How long a mailbox or bot may fail before every administrator sees a banner. */
export const MAX_FAILING_MS = 600_000
const CHECK_EVERY_MS = 15_000

interface Lane {
  id: string
  orgId: string
}

/** Tells open pages to show a banner about each mailbox or bot that has a problem, once for each. */
export function startLaneAlerts<Row extends Lane>(
  deps: Deps,
  name: string,
  given: {
    /** Lanes that no banner mentions yet. */
    listQuiet: () => Promise<Row[]>
    isProblem: (row: Row, now: number) => boolean
    lock: (tx: Transaction, orgId: string, id: string) => Promise<Row | undefined>
    saveAlerted: (tx: Transaction, row: Row, alertedAt: number) => Promise<unknown>
  },
): Loop {
  async function alertAdministrators(): Promise<void> {
    const now = deps.clock.now()
    const quiet = await given.listQuiet()
    for (const { orgId, id } of quiet.filter((row) => given.isProblem(row, now))) {
      await deps.database.write(async (tx) => {
        await recordWorkspaceChange(deps, tx, orgId)
        const before = await given.lock(tx, orgId, id)
        if (before && given.isProblem(before, now)) await given.saveAlerted(tx, before, now)
      })
    }
  }

  return startPeriodic(deps, name, {
    everyMs: CHECK_EVERY_MS,
    slice: async () => {
      await alertAdministrators()
      return false
    },
  })
}
