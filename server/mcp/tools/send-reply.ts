import { Type } from '@sinclair/typebox'
import { scheduleMessage } from '../../messages/schedule-message.ts'
import { readDestination } from '../../messages/sends/plan-sends.ts'
import { messageAuthorOf } from '../../messages/v1.ts'
import { viewOutgoing } from '../../messages/views.ts'
import { text } from '../../text/text.ts'
import { MAX_MESSAGE_LENGTH } from '../../tickets/messages.ts'
import { readTicketRow } from '../../tickets/tickets.ts'
import { delivery, ticketId, time } from '../schemas.ts'
import { defineTool } from '../tool.ts'
import { viewWayOut } from '../views.ts'

export const sendReply = defineTool({
  name: 'send_reply',
  title: 'Send a reply',
  description:
    'Sends an answer to the customer of a ticket, and to those who are already in its conversation; there is no way to choose others. It leaves when the time has passed in which an agent can take it back. It’s refused if the newest message isn’t “after”: then read the ticket again. It’s also refused if the team wrote the newest message, or if a reply of yours is waiting to be sent: then wait for the customer.',
  scope: 'messages:write',
  input: Type.Object(
    {
      ticket: ticketId,
      text: text({
        maxLength: MAX_MESSAGE_LENGTH,
        description:
          'The answer, as the customer gets it: Markdown with bold, italic, links, lists, quotes, and code.',
      }),
      after: Type.String({
        maxLength: 64,
        description: 'The newest message that you read: the id in newestMessage of get_ticket.',
      }),
      sendAt: Type.Optional(
        time('When to send it, at most 30 days ahead. It’s held if the customer writes before.'),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object(
    { id: Type.String({ description: 'Of the message.' }), delivery: Type.Optional(delivery) },
    { additionalProperties: false },
  ),
  effect: 'sends',
  limit: 'send_reply',
  async run({ deps, caller }, { ticket: ticketId, text, after, sendAt }) {
    const { orgId } = caller
    const { read } = deps.database
    const ticket = await readTicketRow(read, orgId, ticketId)
    const { undoSeconds } = await readDestination(deps, read, ticket, ticket.customer)
    const soonest = undoSeconds === 0 ? undefined : deps.clock.now() + undoSeconds * 1_000
    const wanted = sendAt === undefined ? soonest : Math.max(Date.parse(sendAt), soonest ?? 0)
    const { message } = await scheduleMessage(deps, orgId, {
      ...{ ticketId, id: deps.newId('msg'), text, format: 'markdown', after, isRefusedIfStale: true },
      ...(wanted !== undefined && { sendAt: wanted }),
      author: messageAuthorOf(caller),
    })
    const sent = viewOutgoing(message)
    return {
      data: {
        id: sent.id,
        ...('delivery' in sent && sent.delivery && { delivery: viewWayOut(sent.delivery) }),
      },
    }
  },
})
