import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from './events.ts'

/** Lets open pages notice that settings or agents changed. Takes the organization's row, like `recordEvents`. */
export function recordDeskChange(deps: Deps, tx: Transaction, orgId: string): Promise<void> {
  const createdAt = deps.clock.now()
  return recordEvents(deps, tx, orgId, [{ type: 'desk.changed', ticketId: '', createdAt }])
}

/** The same behind a change that is already made, which it must not make look undone: it is only a hint. */
export async function tellPages(deps: Deps, orgId: string): Promise<void> {
  try {
    await deps.database.write((tx) => recordDeskChange(deps, tx, orgId))
  } catch (error) {
    deps.log.warn('pages_not_told', { orgId, error })
  }
}
