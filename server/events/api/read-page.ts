import type { WebhookEvent } from '../../database/tables/events.ts'
import type { Deps } from '../../deps.ts'
import { yieldToEventLoop } from '../../loop.ts'
import { positionAt } from '../positions.ts'
import { readActors } from './actors.ts'
import { webhookBodies } from './bodies.ts'
import { readMessages, readTickets, viewMessageOfEvent, viewTicketOfEvent } from './included.ts'
import { type PublicEvent, readEvents } from './list-events.ts'
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
}

interface ReadPage {
  data: EventView[]
  included: Included | undefined
  after: number
  logId: string
  meta: { after: string; newest: string }
}

/** The events after a number as `/v1/events` shows them. A page ends early when what it includes is long. */
export async function readPage(deps: Deps, request: EventRequest, after: number): Promise<ReadPage> {
  const { orgId, limit, types, ticketId, include } = request
  const page = await readEvents(deps, orgId, { after, limit, filter: { types, ticketId } })
  const data: EventView[] = []
  const tickets = new Map<string, ReturnType<typeof viewTicketOfEvent>>()
  const messages = new Map<string, ReturnType<typeof viewMessageOfEvent>>()
  const { read } = deps.database
  let size = 0
  let end = page.after
  for (let start = 0; start < page.events.length; start += EVENTS_AT_ONCE) {
    const events = page.events.slice(start, start + EVENTS_AT_ONCE)
    const bodies = include.has('body') ? await webhookBodies(read, orgId, events) : undefined
    const actorOf = await readActors(
      read,
      orgId,
      events.map(({ byId }) => byId),
    )
    for (const event of events) {
      const body = bodies?.get(event.number)
      size += body?.byteLength ?? 0
      data.push(viewEvent(event, { logId: page.logId, by: actorOf(event.byId), body }))
    }
    if (include.has('ticket')) {
      const ids = newIds(events, ({ ticketId }) => ticketId, tickets)
      for (const one of await readTickets(read, orgId, ids)) tickets.set(one.id, viewTicketOfEvent(one))
      for (const id of ids) size += sizeOf(tickets.get(id))
    }
    if (include.has('message')) {
      const ids = newIds(events, ({ messageId }) => messageId, messages)
      for (const one of await readMessages(read, orgId, ids)) messages.set(one.id, viewMessageOfEvent(one))
      for (const id of ids) size += sizeOf(messages.get(id))
    }
    const last = events.at(-1)
    if (size > MAX_CHARACTERS && last && start + EVENTS_AT_ONCE < page.events.length) {
      end = last.number
      break
    }
    await yieldToEventLoop()
  }
  const included = {
    ...(include.has('ticket') && { tickets: [...tickets.values()] }),
    ...(include.has('message') && { messages: [...messages.values()] }),
  }
  return {
    data,
    included: Object.keys(included).length > 0 ? included : undefined,
    after: end,
    logId: page.logId,
    meta: { after: positionAt(page.logId, end), newest: positionAt(page.logId, page.newest) },
  }
}

function newIds(
  events: PublicEvent[],
  idOf: (event: PublicEvent) => string | null,
  known: ReadonlyMap<string, unknown>,
): string[] {
  const ids = new Set(events.map(idOf))
  return [...ids].flatMap((id) => (id && !known.has(id) ? [id] : []))
}

function sizeOf(view: object | undefined): number {
  return view === undefined ? 0 : JSON.stringify(view).length
}
