import { withAttachments } from '../attachments/queries.ts'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import type { Deps } from '../deps.ts'
import { isNamed } from '../requests/headers.ts'
import { bytesOfText, createByteCache } from '../responses/byte-cache.ts'
import { type ElysiaSet, finishedResponse } from '../responses/finished-response.ts'
import type { LargeResponses } from '../responses/large-responses.ts'
import { jsonSlices, MAX_SLICE_BYTES, type TextSlices, textIfSmall } from '../responses/row-slices.ts'
import { findMessages, messageBytes, messageColumns, type TicketWithCustomer } from './queries.ts'
import { nextParts, partsInSlices, placeInTicket } from './rows-of-ticket.ts'
import { readTicketRow } from './tickets.ts'
import { ticketEtag, viewSentMessage, viewTicket } from './views.ts'

/** Finished tickets that are kept in memory. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024
/** At most 64 kB each: together they are read in a few milliseconds. */
const FEW = 16
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
  const kept = createByteCache(MAX_KEPT_BYTES, bytesOfText)
  /** The ETags, by id. */
  const readOnce = new Map<string, string>()
  const { read } = deps.database

  return async ({ orgId, id, request, set }: Asked): Promise<Response> => {
    const ticket = await readTicketRow(read, orgId, id)
    const etag = ticketEtag(ticket)
    set.headers.etag = etag
    const known = request.headers.get('if-none-match')
    if (known !== null && isNamed(known, etag)) return finishedResponse(set, null, 304)
    const text = kept.get(id, etag)
    if (text !== undefined) return finishedResponse(set, text)
    return responses.send(
      { request, orgId, name: id, set },
      () => slicesOf(ticket),
      async () => {
        const whole = (await textOfFew(ticket)) ?? (await textIfSmall(slicesOf(ticket)))
        if (whole !== undefined) keepSecond(id, etag, whole)
        return whole
      },
    )
  }

  /** Most tickets have so few messages that reading them is cheaper than asking for their sizes first. */
  async function textOfFew(ticket: TicketWithCustomer): Promise<string | undefined> {
    const { orgId, id } = ticket
    const first = await findMessages(read, { orgId, ticketId: id, limit: FEW + 1 })
    const bytes = first.reduce((sum, { text }) => sum + text.length, 0)
    if (first.length > FEW || bytes > MAX_SLICE_BYTES) return undefined
    const hasFiles = first.some(({ attachmentCount }) => attachmentCount > 0)
    const shown = hasFiles ? await withAttachments(read, orgId, first) : first
    return JSON.stringify(viewTicket({ ...ticket, messages: shown }))
  }

  function keepSecond(id: string, etag: string, text: string): void {
    if (readOnce.get(id) === etag) {
      kept.keep(id, text, etag)
      return
    }
    if (readOnce.size >= MAX_READ_ONCE) readOnce.clear()
    readOnce.set(id, etag)
  }

  function slicesOf(ticket: TicketWithCustomer): TextSlices {
    const { messages: _, ...fields } = viewTicket({ ...ticket, messages: [] })
    return jsonSlices({ ...fields, messages: viewedMessages(ticket) })
  }

  async function* viewedMessages({ orgId, id }: TicketWithCustomer) {
    for await (const rows of partsInSlices({ orgId, ticketId: id }, (place) => nextMessages(read, place))) {
      yield (await withAttachments(read, orgId, rows)).map(viewSentMessage)
    }
  }
}

const nextMessages = statement('messages_slice', placeInTicket, (read: Reader, p) => {
  const { where, order } = nextParts(messages, p, messageBytes)
  return read.select(messageColumns).from(messages).where(where).orderBy(order)
})
