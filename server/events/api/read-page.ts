import { readShownCustomers, viewShownCustomer } from '../../customers/shown-customers.ts'
import type { WebhookEvent } from '../../database/tables/events.ts'
import type { Deps } from '../../deps.ts'
import { yieldToEventLoop } from '../../loop.ts'
import { findTicketsById } from '../../tickets/queries.ts'
import { readActors } from '../actors.ts'
import { positionAt } from '../positions.ts'
import { readWebhookBodies } from './bodies.ts'
import { readMessages, viewMessageOfEvent, viewTicketOfEvent } from './included.ts'
import { type LogPlace, readEvents } from './list-events.ts'
import type { Include } from './schemas.ts'
import { viewEvent } from './views.ts'

/** Events whose includes are read at once, and the size in characters after which a page ends. */
const EVENTS_AT_ONCE = 50
const MAX_CHARACTERS = 1_000_000

export interface EventRequest {
  orgId: string
  limit: number
  types: ReadonlySet<WebhookEvent>
  ticketId: string | undefined
  include: ReadonlySet<Include>
}

type EventView = ReturnType<typeof viewEvent>
interface Included {
  tickets?: ReturnType<typeof viewTicketOfEvent>[]
  messages?: ReturnType<typeof viewMessageOfEvent>[]
  customers?: ReturnType<typeof viewShownCustomer>[]
}

interface ReadPage extends LogPlace {
  data: EventView[]
  included: Included | undefined
  meta: { after: string; newest: string }
}

/** The events from a place on as `/v1/events` shows them. A page ends early when what it includes is long. */
export async function readPage(deps: Deps, request: EventRequest, from: LogPlace): Promise<ReadPage> {
  const { orgId, limit, types, ticketId, include } = request
  const { read } = deps.database
  const { events, ...page } = await readEvents(deps, orgId, { ...from, limit, filter: { types, ticketId } })
  const data: EventView[] = []
  const included = {
    tickets: collect(include.has('ticket'), (ids) => findTicketsById(read, orgId, ids), viewTicketOfEvent),
    messages: collect(include.has('message'), (ids) => readMessages(read, orgId, ids), viewMessageOfEvent),
    customers: collect(
      include.has('customer'),
      (ids) => readShownCustomers(read, orgId, ids),
      viewShownCustomer,
    ),
  }
  let size = 0
  let end = page.after
  for (let start = 0; start < events.length; start += EVENTS_AT_ONCE) {
    const some = events.slice(start, start + EVENTS_AT_ONCE)
    const bodies = include.has('body') ? await readWebhookBodies(read, orgId, some) : undefined
    const actorOf = await readActors(
      read,
      orgId,
      some.map(({ byId }) => byId),
    )
    for (const event of some) {
      const body = bodies?.get(event.number)
      size += body?.byteLength ?? 0
      data.push(viewEvent(event, { logId: page.logId, by: actorOf(event.byId), body }))
    }
    size += await included.tickets.add(some.map(({ ticketId }) => ticketId))
    size += await included.messages.add(some.map(({ messageId }) => messageId))
    size += await included.customers.add(some.map(({ customerId }) => customerId))
    const last = some.at(-1)
    if (size > MAX_CHARACTERS && last && start + EVENTS_AT_ONCE < events.length) {
      end = last.number
      break
    }
    await yieldToEventLoop()
  }
  const [tickets, messages, customers] = [
    included.tickets.views(),
    included.messages.views(),
    included.customers.views(),
  ]
  return {
    data,
    included:
      tickets || messages || customers
        ? { ...(tickets && { tickets }), ...(messages && { messages }), ...(customers && { customers }) }
        : undefined,
    after: end,
    logId: page.logId,
    meta: { after: positionAt(page.logId, end), newest: positionAt(page.logId, page.newest) },
  }
}

/** `readPage` for readers who have waited. */
export type ReadTogether = (request: EventRequest, from: LogPlace) => Promise<ReadPage>

/**
 * Those who wait for the same are woken together: one read serves all of them. Only for readers who have waited, because
 * it may have begun before the newest commit.
 */
export function readTogether(deps: Deps): ReadTogether {
  const running = new Map<string, Promise<ReadPage>>()
  return (request, from) => {
    const { orgId, limit, types, ticketId, include } = request
    const key = JSON.stringify([orgId, limit, [...types], ticketId, [...include], from.logId, from.after])
    const known = running.get(key)
    if (known) return known
    const page = readPage(deps, request, from).finally(() => running.delete(key))
    running.set(key, page)
    return page
  }
}

/** Views of rows by their ids, each once. `add` returns their size in characters. */
function collect<Row extends { id: string }, View>(
  isWanted: boolean,
  readRows: (ids: string[]) => Promise<Row[]>,
  view: (row: Row) => View,
) {
  const found = new Map<string, View>()
  return {
    async add(ids: (string | null)[]): Promise<number> {
      const unknown = [...new Set(ids)].flatMap((id) => (id && !found.has(id) ? [id] : []))
      if (!isWanted || unknown.length === 0) return 0
      let size = 0
      for (const row of await readRows(unknown)) {
        const viewed = view(row)
        found.set(row.id, viewed)
        size += JSON.stringify(viewed).length
      }
      return size
    },
    /** Undefined unless they are wanted. */
    views: () => (isWanted ? [...found.values()] : undefined),
  }
}
