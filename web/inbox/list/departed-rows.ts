import type { TicketChange } from '../../ticket/changes/optimistic.ts'
import { STATUSES } from '../../ticket/header/statuses.ts'
import type { Row } from '../inbox-data.ts'
import type { Facts } from './merge-updates.ts'

/** Why a row belongs into the list no more; undefined while it does, and while nobody here knows. */
export function whyLeft(
  before: Facts | undefined,
  now: Row | undefined,
  agents: ReadonlyMap<string, string>,
): string | undefined {
  if (!before || !now) return undefined
  if (now.isSpam !== before.isSpam) return now.isSpam ? 'Marked as spam' : 'No longer spam'
  if (now.status !== before.status) return `Moved to ${STATUSES[now.status].name}`
  if (now.assignedTo !== before.assignedTo) {
    return now.assignedTo
      ? `Assigned to ${agents.get(now.assignedTo) ?? 'somebody else'}`
      : 'Assigned to nobody'
  }
  if (before.hasFailedSend && !now.hasFailedSend) return 'Its reply goes out again'
  if (now.tags.join() !== before.tags.join()) return 'Tags changed'
  return undefined
}

/** What brings a row back; undefined when nothing is known that would. */
export function restoring(before: Facts | undefined, now: Row | undefined): TicketChange | undefined {
  if (!before || !now) return undefined
  const change: TicketChange = {}
  if (now.isSpam !== before.isSpam) change.isSpam = before.isSpam
  if (now.status !== before.status) change.status = before.status
  if (now.assignedTo !== before.assignedTo) change.assignedTo = before.assignedTo ?? null
  if (now.tags.join() !== before.tags.join()) change.tags = [...before.tags]
  return Object.keys(change).length > 0 ? change : undefined
}
