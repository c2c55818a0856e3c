import type { Client, EventPage } from './client.ts'
import { Problem } from './problem.ts'
import type { components } from './types.ts'

type Schemas = components['schemas']

/** At once, as the server's pages. */
const ITEMS = 100
const INCLUDE = 'ticket,message,customer'

type Included = NonNullable<EventPage['included']> & { customers?: Schemas['CustomerDetail'][] }

interface Kinds {
  /** As lists have it; the customer is a `customer` of its own, by `customerId`. */
  ticket: Omit<Schemas['TicketSummary'], 'customer'>
  message: Schemas['MessageOfTicket']
  customer: Schemas['CustomerDetail']
}

/** What is stored of one thing now. Without a value, it is deleted; a deleted ticket takes its messages along. */
export type Change = {
  [Kind in keyof Kinds]: { kind: Kind; id: string; value: Kinds[Kind] | undefined }
}[keyof Kinds]

/** Where a mirror is kept. Each call is one transaction. */
export interface MirrorStore {
  /** The last one that was stored. Undefined before the first copy is complete. */
  position(): Promise<string | undefined>
  /** Removes everything, and the position: a copy begins. */
  clear(): Promise<void>
  /** Stores changes in this order, and the position after them. During a copy, there is none. */
  apply(changes: Change[], position: string | undefined): Promise<void>
  /** Removes the messages of a ticket: all that it has now follow. */
  clearMessages(ticketId: string): Promise<void>
}

/**
 * Copies all tickets, messages, and customers, and follows every change, until `signal` or, with `wait: 0`, until nothing is
 * left. Goes on where it was when it is started again. Begins anew when the server was restored from a backup, or the mirror
 * was away for 90 days. The key needs tickets:read and customers:read. Throws what the client throws.
 */
export async function mirror(
  client: Client,
  store: MirrorStore,
  options: { signal?: AbortSignal; wait?: number } = {},
): Promise<void> {
  while (!options.signal?.aborted) {
    try {
      const after = (await store.position()) ?? (await copy(client, store))
      for await (const page of client.eventPages({ after, include: INCLUDE, ...options })) {
        await follow(client, store, page)
      }
      return
    } catch (error) {
      if (options.signal?.aborted) return
      if (!(error instanceof Problem) || error.code !== 'events_expired') throw error
      await store.clear()
    }
  }
}

/** What changes meanwhile comes again as an event: the position is from before. */
async function copy(client: Client, store: MirrorStore): Promise<string> {
  const { newestEvent } = await client.get('/me')
  await store.clear()
  let changes: Change[] = []
  const add = async (change: Change) => {
    changes.push(change)
    if (changes.length < ITEMS) return
    await store.apply(changes, undefined)
    changes = []
  }
  const oldestFirst = { query: { sort: 'created_asc' as const } }
  for await (const ticket of client.pages('/tickets', oldestFirst)) await add(ticketChange(ticket.id, ticket))
  for await (const value of client.pages('/messages')) await add({ kind: 'message', id: value.id, value })
  for await (const value of client.pages('/customers')) await add({ kind: 'customer', id: value.id, value })
  await store.apply(changes, newestEvent)
  return newestEvent
}

async function follow(client: Client, store: MirrorStore, page: EventPage): Promise<void> {
  const changes: Change[] = []
  const { tickets, messages, customers }: Included = page.included ?? {}
  const of = (pick: (event: EventPage['data'][number]) => string | undefined) =>
    new Set(page.data.flatMap((event) => pick(event) ?? []))
  const [ticketOf, messageOf, customerOf] = [byId(tickets), byId(messages), byId(customers)]
  for (const id of of(({ ticketId }) => ticketId)) changes.push(ticketChange(id, ticketOf.get(id)))
  for (const id of of(({ messageId }) => messageId)) {
    changes.push({ kind: 'message', id, value: messageOf.get(id) })
  }
  for (const id of of(({ customerId }) => customerId)) {
    changes.push({ kind: 'customer', id, value: customerOf.get(id) })
  }
  const moved = of(({ event, changes: changed, ticketId }) =>
    changed?.messages || event === 'ticket.imported' ? ticketId : undefined,
  )
  for (const id of moved) {
    if (!ticketOf.has(id)) continue
    const all = await messagesOf(client, id)
    await store.clearMessages(id)
    changes.push(...all)
  }
  await store.apply(changes, page.meta.after)
}

/** None of a ticket that is deleted meanwhile: its event follows. */
async function messagesOf(client: Client, ticketId: string): Promise<Change[]> {
  const found: Change[] = []
  try {
    const pages = client.pages('/tickets/{id}/messages', { params: { id: ticketId } })
    for await (const message of pages) {
      found.push({ kind: 'message', id: message.id, value: { ...message, ticketId } })
    }
    return found
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return []
    throw error
  }
}

function ticketChange(
  id: string,
  ticket: Schemas['TicketSummary'] | Schemas['TicketOfEvent'] | undefined,
): Change {
  if (!ticket) return { kind: 'ticket', id, value: undefined }
  const { customer: _, ...value } = ticket
  return { kind: 'ticket', id, value }
}

function byId<Item extends { id: string }>(items: Item[] = []): Map<string, Item> {
  return new Map(items.map((item) => [item.id, item]))
}
