import type { EventChanges, LogEvent } from '../database/tables/events.ts'
import type { EndpointFilters } from '../database/tables/webhooks.ts'

/** What filters look at. */
interface FilteredEvent {
  type: LogEvent
  /** Of its ticket. Absent when there is no ticket: nothing is known of a deleted one, and customers have none. */
  channel?: string | undefined
  tags?: readonly string[] | undefined
  /** Of `ticket.updated`. */
  changes?: EventChanges | null | undefined
}

/**
 * Whether an endpoint with these filters gets an event that it is subscribed to. All filters must pass: the channel is
 * one of `channels`; the ticket has one of `tags`, or had it before this change; and `ticket.updated` changes one of
 * the fields in `changes`. A filter that an event has nothing for lets it through.
 */
export function passesFilters(filters: EndpointFilters | null, event: FilteredEvent): boolean {
  if (filters === null) return true
  const { channels, tags, changes } = filters
  if (channels && event.channel !== undefined && !channels.some((one) => one === event.channel)) return false
  if (tags && event.tags && !tags.some((tag) => hasTag(event, tag))) return false
  if (!changes || event.type !== 'ticket.updated') return true
  return changes.some((field) => event.changes && field in event.changes)
}

function hasTag({ tags, changes }: FilteredEvent, tag: string): boolean {
  return tags?.includes(tag) === true || changes?.tags?.from.includes(tag) === true
}
