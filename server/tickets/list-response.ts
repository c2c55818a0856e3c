import { sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement, text } from '../database/statement.ts'
import { customers } from '../database/tables/customers.ts'
import { selectTexts } from '../database/text-list.ts'
import type { Deps } from '../deps.ts'
import { newestEvent } from '../events/events.ts'
import { bytesOfText, createByteCache } from '../responses/byte-cache.ts'
import { type ElysiaSet, finishedResponse } from '../responses/finished-response.ts'
import { listTickets, type TicketListRequest } from './list-tickets.ts'
import { pageLinks } from './pagination.ts'
import { viewListedTicket } from './views.ts'

/** Finished lists that are kept in memory. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

interface Asked {
  orgId: string
  wanted: TicketListRequest
  request: Request
  set: ElysiaSet
}

/** A finished list. */
interface Finished {
  /** The `Link` header; empty for none. */
  link: string
  /** The customers it shows. */
  customerIds: string[]
  /** The sum of their versions. */
  versions: number
  body: string
}

/**
 * Answers `GET /v1/tickets`. Whatever changes a ticket is in the organization's log, and whatever changes a customer raises
 * their version. While both stay the same, a finished list is sent again: programs that keep asking cost a third. The
 * event is read before the list, so it is never newer.
 */
export function createListResponse(deps: Deps) {
  const kept = createByteCache(MAX_KEPT_BYTES, bytesOfText)
  const { read } = deps.database

  return async ({ orgId, wanted, request, set }: Asked): Promise<Response> => {
    const event = String(await newestEvent(read, orgId))
    const { assignedTo, customerId } = wanted.filters
    // An address can become another agent's or customer's.
    const name = [orgId, assignedTo, customerId, queryOf(request.url)].join(' ')
    const text = kept.get(name, event)
    const known: Finished | undefined = text === undefined ? undefined : unpack(text)
    const isCurrent = known && known.versions === (await versionsOf(read, orgId, known.customerIds))
    const list = isCurrent ? known : await finish(orgId, { ...wanted, signal: request.signal }, request.url)
    if (!isCurrent) kept.keep(name, pack(list), event)
    if (list.link !== '') set.headers.link = list.link
    return finishedResponse(set, list.body)
  }

  async function finish(orgId: string, wanted: TicketListRequest, url: string): Promise<Finished> {
    const list = await listTickets(deps, orgId, wanted)
    const { nextCursor, header } = pageLinks(wanted, list, url)
    const shown = new Map(list.tickets.map(({ customer }) => [customer.id, customer.version]))
    return {
      link: header,
      customerIds: [...shown.keys()],
      versions: [...shown.values()].reduce((sum, version) => sum + version, 0),
      body: JSON.stringify({
        data: list.tickets.map(viewListedTicket),
        meta: {
          total: list.total,
          page: wanted.cursor?.page ?? wanted.page,
          perPage: wanted.perPage,
          ...(nextCursor === undefined ? {} : { nextCursor }),
        },
      }),
    }
  }
}

/** On four lines: JSON has no line breaks, and neither has a header. */
function pack({ link, customerIds, versions, body }: Finished): string {
  return [link, customerIds.join(' '), versions, body].join('\n')
}

function unpack(text: string): Finished {
  const [link = '', customerIds = '', versions, body = ''] = text.split('\n')
  return {
    link,
    customerIds: customerIds === '' ? [] : customerIds.split(' '),
    versions: Number(versions),
    body,
  }
}

async function versionsOf(read: Reader, orgId: string, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0
  const [row] = await sumOfVersions(read, { orgId, ids: JSON.stringify(ids) })
  return row?.sum ?? 0
}

const sumOfVersions = statement('customers_sum_of_versions', { orgId: text, ids: text }, (read: Reader, p) =>
  // The organization is an expression, so that no index but that of the ids is used.
  read
    .select({ sum: sql<number>`coalesce(sum(${customers.version}), 0)`.mapWith(Number) })
    .from(customers)
    .where(sql`${customers.id} in (${selectTexts(p.ids)}) and (${customers.orgId} || '') = ${p.orgId}`),
)

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}
