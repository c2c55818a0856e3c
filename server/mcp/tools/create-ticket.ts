import { Type } from '@sinclair/typebox'
import { newTicket } from '../../tickets/schemas.ts'
import { createTicket } from '../../tickets/tickets.ts'
import { ticketEtag } from '../../tickets/views.ts'
import { etag, ticketFields } from '../schemas.ts'
import { defineTool } from '../tool.ts'
import { viewTicket } from '../views.ts'

const { subject, message, customer, tags, externalId } = newTicket.properties

export const createTicketTool = defineTool({
  name: 'create_ticket',
  title: 'Create a ticket',
  description:
    'Opens a ticket for a customer who got in touch in another way, such as by phone, with what they said as its first message. Nothing is sent to them.',
  scope: 'tickets:write',
  input: Type.Object({ subject, message, customer, tags, externalId }, { additionalProperties: false }),
  output: Type.Object({ ...ticketFields, etag }, { additionalProperties: false }),
  effect: 'adds',
  async run({ deps, caller }, { customer, ...input }) {
    // A model took the name from what someone said: it renames no one.
    const named = { ...customer, isNameVerified: false }
    const made = await createTicket(deps, caller.orgId, { ...input, customer: named })
    return { data: { ...viewTicket(made), etag: ticketEtag(made) } }
  },
})
