import type { CountFilter } from '../counters.ts'
import { ALL_TICKETS, type RangeFilter, SORTED_BY, type TicketSort } from '../list-ranges.ts'

/** Times in milliseconds since 1970: from the first on, and before the second. */
export interface Times {
  from: number
  until: number
}

/** Without places, a list has all of them. */
export interface TicketFilters extends CountFilter {
  createdAt?: Times | undefined
  updatedAt?: Times | undefined
  customerId?: string | undefined
  externalId?: string | undefined
  ids?: string[] | undefined
}

/** Whether the ranges of the index that a list is sorted by are exactly its tickets. */
export function isAlongIndex(filters: TicketFilters, sort: TicketSort): boolean {
  const { customerId, externalId, ids } = filters
  if (customerId !== undefined || externalId !== undefined || ids) return false
  const { column } = SORTED_BY[sort]
  return TIMED.every((timed) => timed === column || filters[timed] === undefined)
}

/** The times that the ranges of the index are cut to. Undefined for all. */
export function timesOf(filters: TicketFilters, sort: TicketSort): Times | undefined {
  const timed = TIMED.find((column) => column === SORTED_BY[sort].column)
  return timed && filters[timed]
}

/** The ranges of an index that have all tickets with these filters, and others if there are more filters. */
export function rangeOf({ status, channel, places, assignedTo, tag }: TicketFilters): RangeFilter {
  return {
    statuses: status === undefined ? ALL_TICKETS.statuses : [status],
    channels: channel === undefined ? ALL_TICKETS.channels : [channel],
    places: places ?? ALL_TICKETS.places,
    assignedTo,
    tag,
  }
}

const TIMED = ['createdAt', 'updatedAt'] as const
