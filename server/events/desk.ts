import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from './events.ts'

/** Lets open pages notice that settings or agents changed. Takes the organization's row, like `recordEvents`. */
export function recordDeskChange(deps: Deps, tx: Transaction, orgId: string): Promise<void> {
  const createdAt = deps.clock.now()
  return recordEvents(deps, tx, orgId, [{ type: 'desk.changed', ticketId: '', createdAt }])
}
