import type { Transaction } from '../database/database.ts'
import type { Deps } from '../deps.ts'
import { recordEvents } from './events.ts'

/**
 * Tells open pages that settings changed, in the unit that changes them. Takes the organization's row, like
 * `recordEvents`: call it before anything locks an endpoint.
 */
export function recordWorkspaceChange(deps: Deps, tx: Transaction, orgId: string): Promise<void> {
  const createdAt = deps.clock.now()
  return recordEvents(deps, tx, orgId, [{ type: 'workspace.changed', ticketId: '', createdAt }])
}
