import { and, asc, count, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { integerParameter, remembered, statement, textParameter } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import type { Cursor } from './cursor.ts'
import type { TicketSort } from './list-tickets.ts'
import { type TicketWithCustomer, ticketWithCustomer } from './queries.ts'

export type PageParams = Record<string, string | number>

// One for each combination of filters (their names, sorted), sort and direction.

/** The tickets of a page; with a direction those behind the place (`at`, `id`). */
export const pageStatement = remembered(buildPageStatement)
/** The sort time and id of one ticket by its number in the list, from the index alone where one filter is given. */
export const placeStatement = remembered(buildPlaceStatement)
export const countStatement = remembered(buildCountStatement)

/** With a tag the tag's own rows lead, in their own order; otherwise an index of the tickets does. */
function leadOf(filters: string[], sort: TicketSort, isReversed: boolean) {
  const isTagged = filters.includes('tag')
  const lead = isTagged ? ticketTags : tickets
  const at = sort === 'updated_desc' ? lead.updatedAt : lead.createdAt
  const id = isTagged ? ticketTags.ticketId : tickets.id
  const isAscending = (sort === 'created_asc') !== isReversed
  return { isTagged, at, id, isAscending, order: isAscending ? [asc(at), asc(id)] : [desc(at), desc(id)] }
}

function buildPageStatement(filters: string[], sort: TicketSort, direction?: Cursor['direction']) {
  const { isTagged, at, id, isAscending, order } = leadOf(filters, sort, direction === 'previous')
  const name = ['tickets_page', ...filters, sort, direction ?? 'first'].join('_')
  return statement<PageParams, TicketWithCustomer[], Reader>(name, (read, p) => {
    const place = sql`${integerParameter(sql.placeholder('at'))}, ${textParameter(sql.placeholder('id'))}`
    const behind = isAscending ? sql`(${at}, ${id}) > (${place})` : sql`(${at}, ${id}) < (${place})`
    const from = isTagged
      ? read
          .select(ticketWithCustomer)
          .from(ticketTags)
          .innerJoin(tickets, eq(tickets.id, ticketTags.ticketId))
          .innerJoin(customers, eq(customers.id, tickets.customerId))
      : read
          .select(ticketWithCustomer)
          .from(tickets)
          .innerJoin(customers, eq(customers.id, tickets.customerId))
    return from
      .where(and(...conditions(filters), direction && behind))
      .orderBy(...order)
      .limit(p.limit ?? 0)
  })
}

function buildPlaceStatement(filters: string[], sort: TicketSort) {
  const { isTagged, at, id, order } = leadOf(filters, sort, false)
  const name = ['tickets_place', ...filters, sort].join('_')
  const isTagAlone = isTagged && filters.length === 1
  return statement<PageParams, { at: number; id: string }[], Reader>(name, (read, p) => {
    const place = read.select({ at, id })
    const from = !isTagged
      ? place.from(tickets)
      : isTagAlone
        ? place.from(ticketTags)
        : place.from(ticketTags).innerJoin(tickets, eq(tickets.id, ticketTags.ticketId))
    return from
      .where(and(...(isTagAlone ? tagConditions() : conditions(filters))))
      .orderBy(...order)
      .limit(1)
      .offset(p.offset ?? 0)
  })
}

function buildCountStatement(filters: string[]) {
  return statement<PageParams, { total: number }[], Reader>(
    ['tickets_count', ...filters].join('_'),
    (read) =>
      filters.includes('tag')
        ? read
            .select({ total: count() })
            .from(ticketTags)
            .innerJoin(tickets, eq(tickets.id, ticketTags.ticketId))
            .where(and(...conditions(filters)))
        : read
            .select({ total: count() })
            .from(tickets)
            .where(and(...conditions(filters))),
  )
}

function conditions(filters: string[]): SQL[] {
  const wanted = { status: tickets.status, channel: tickets.channel, assignedTo: tickets.assignedTo }
  return [
    eq(tickets.orgId, given('orgId')),
    ...(filters.includes('tag') ? tagConditions() : []),
    ...Object.entries(wanted)
      .filter(([name]) => filters.includes(name))
      .map(([name, column]) => sql`${column} = ${given(name)}`),
  ]
}

function tagConditions(): SQL[] {
  return [eq(ticketTags.orgId, given('orgId')), eq(ticketTags.tag, given('tag'))]
}

function given(parameter: string): SQL {
  return textParameter(sql.placeholder(parameter))
}
