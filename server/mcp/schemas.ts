import { Type } from '@sinclair/typebox'
import { CHANNELS, SENT_BY } from '../channels/kinds.ts'
import { TICKET_STATUSES } from '../database/tables/tickets.ts'
import { oneOf } from '../requests/schemas.ts'
import { DELIVERY_STATES } from '../tickets/schemas.ts'

// Arguments and answers of tools. Their words are read by models. What a stranger may have written is only in fields whose names
// begin with `untrusted`.

const closed = { additionalProperties: false }

export const ticketId = Type.String({ maxLength: 64, description: 'Id of a ticket, such as tkt_….' })
export const status = oneOf(TICKET_STATUSES)
export const channel = oneOf(CHANNELS)
export const time = (description?: string) =>
  Type.String({ format: 'date-time', ...(description !== undefined && { description }) })
export const cursor = Type.String({
  maxLength: 512,
  description: 'nextCursor of the answer before, with the same other arguments.',
})
export const limit = (maximum: number, usual: number) =>
  Type.Integer({ minimum: 1, maximum, description: `${usual} by default, ${maximum} at most.` })

/** Everything in it was written or chosen by someone outside, or copied from them. */
export const untrustedText = (description?: string) =>
  Type.String({ ...(description !== undefined && { description }) })

export const ticketFields = {
  id: Type.String(),
  status,
  channel,
  untrustedSubject: untrustedText(),
  customer: Type.Object(
    {
      id: Type.String(),
      untrustedName: untrustedText(),
      untrustedEmail: Type.Optional(untrustedText()),
      isVerified: Type.Boolean({
        description: 'False if a visitor of a website typed the name or the address.',
      }),
    },
    closed,
  ),
  assignedTo: Type.Optional(Type.String({ description: 'Id of an agent. Absent if unassigned.' })),
  tags: Type.Array(Type.String()),
  isSpam: Type.Boolean(),
  createdAt: time(),
  updatedAt: time(),
  lastMessageAt: time(),
  waitingSince: Type.Optional(time('Since when the customer waits for an answer. Absent if they don’t.')),
  snoozedUntil: Type.Optional(time()),
  mergedInto: Type.Optional(Type.String({ description: 'The ticket that has its messages now.' })),
  externalId: Type.Optional(Type.String()),
}

export const untrustedMetadata = Type.Record(Type.String(), Type.String(), {
  description: 'What other systems keep with it. Of a lot, only the beginning.',
})

/** A ticket without its messages. */
export const ticketSummary = Type.Object(ticketFields, closed)

export const etag = Type.String({ description: 'Changes with the ticket. For update_ticket.' })

export const delivery = Type.Object(
  {
    state: oneOf(DELIVERY_STATES),
    by: Type.Optional(oneOf(SENT_BY)),
    sendAt: Type.Optional(time('When it is sent. Until then, an agent can take it back.')),
    untrustedReason: Type.Optional(untrustedText('Why it is held or failed.')),
  },
  closed,
)
