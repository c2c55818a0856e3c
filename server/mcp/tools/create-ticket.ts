import { Type } from '@sinclair/typebox'
import { text } from '../../text/text.ts'
import { MAX_MESSAGE_LENGTH } from '../../tickets/messages.ts'
import { createTicket } from '../../tickets/tickets.ts'
import { ticketEtag } from '../../tickets/views.ts'
import { etag, tags, ticketFields } from '../schemas.ts'
import { defineTool } from '../tool.ts'
import { viewTicket } from '../views.ts'

export const openTicketTool = defineTool({
  name: 'create_ticket',
  title: 'Create a ticket',
  description:
    'Opens a ticket for a customer who got in touch in another way, such as by phone, with what they said as its first message. Nothing is sent to them.',
  scope: 'tickets:write',
  input: Type.Object(
    {
      subject: text({ maxLength: 255 }),
      message: text({ maxLength: MAX_MESSAGE_LENGTH, description: 'What the customer said.' }),
      customer: Type.Object(
        {
          name: Type.Optional(text({ maxLength: 255 })),
          email: Type.String({ format: 'email', maxLength: 254 }),
        },
        { additionalProperties: false },
      ),
      tags: Type.Optional(tags),
      externalId: Type.Optional(
        text({
          maxLength: 255,
          description: 'Its id in another system. A second ticket with the same id is refused.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ ...ticketFields, etag }, { additionalProperties: false }),
  effect: 'adds',
  async run({ deps, caller }, input) {
    const made = await createTicket(deps, caller.orgId, input)
    return { data: { ...viewTicket(made), etag: ticketEtag(made) } }
  },
})
