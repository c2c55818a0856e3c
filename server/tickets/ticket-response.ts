import { withAttachments } from '../attachments/queries.ts'
import type { Deps } from '../deps.ts'
import { isNamed } from '../requests/headers.ts'
import { createByteCache } from '../responses/byte-cache.ts'
import { type ElysiaSet, finishedResponse } from '../responses/finished-response.ts'
import type { LargeResponses, TextSlices } from '../responses/large-responses.ts'
import { jsonSlices } from '../responses/row-slices.ts'
import type { TicketWithCustomer } from './queries.ts'
import { messageSlices, readFewMessages } from './rows-of-ticket.ts'
import { readTicketRow } from './tickets.ts'
import { ticketEtag, viewSentMessage, viewTicket } from './views.ts'

/** Finished tickets that are kept in memory. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
/** Ids of large tickets that are remembered. */
const MAX_KNOWN_LARGE = 1_000
/** Tickets that are remembered because they were read once. */
const MAX_READ_ONCE = 1_000

interface Asked {
  orgId: string
  id: string
  request: Request
  set: ElysiaSet
}

/**
 * Answers `GET /v1/tickets/:id`. The row is read first: its version is never newer than the messages. With this version,
 * the finished response of an earlier request is sent again. It is kept from the second request on: to keep what no one
 * asks for again takes memory, and time. A ticket with many messages is sent in slices.
 */
export function createTicketResponse(deps: Deps, responses: LargeResponses) {
  const kept = createByteCache(MAX_KEPT_BYTES)
  // Finding out that a ticket is large takes a millisecond or two, which many clients would cause in the same turn.
  const large = new Set<string>()
  /** The ETags, by id. */
  const readOnce = new Map<string, string>()
  const { read } = deps.database

  return async ({ orgId, id, request, set }: Asked): Promise<Response> => {
    const ticket = await readTicketRow(read, orgId, id)
    const etag = ticketEtag(ticket)
    set.headers.etag = etag
    const known = request.headers.get('if-none-match')
    if (known !== null && isNamed(known, etag)) return finishedResponse(set, null, 304)
    let text = kept.get(id, etag)
    if (text === undefined) {
      const rows = large.has(id) ? undefined : await readFewMessages(read, { orgId, ticketId: id })
      if (!rows) {
        if (large.size >= MAX_KNOWN_LARGE) large.clear()
        large.add(id)
        return responses.send({ request, orgId, set }, () => slicesOf(ticket))
      }
      const hasFiles = rows.some(({ attachmentCount }) => attachmentCount > 0)
      const messages = hasFiles ? await withAttachments(read, orgId, rows) : rows
      text = JSON.stringify(viewTicket({ ...ticket, messages }))
      keepSecond(id, etag, text)
    }
    return finishedResponse(set, text)
  }

  function keepSecond(id: string, etag: string, text: string): void {
    if (readOnce.get(id) === etag) {
      kept.keep(id, etag, text)
      return
    }
    if (readOnce.size >= MAX_READ_ONCE) readOnce.clear()
    readOnce.set(id, etag)
  }

  function slicesOf(ticket: TicketWithCustomer): TextSlices {
    const { messages: _, ...fields } = viewTicket({ ...ticket, messages: [] })
    return jsonSlices({ messages: viewedMessages(ticket) }, fields)
  }

  async function* viewedMessages({ orgId, id }: TicketWithCustomer) {
    for await (const rows of messageSlices(read, { orgId, ticketId: id })) {
      yield (await withAttachments(read, orgId, rows)).map(viewSentMessage)
    }
  }
}
