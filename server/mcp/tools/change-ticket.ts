import { Type } from '@sinclair/typebox'
import { actions } from '../../tickets/schemas.ts'
import { readTicketRow } from '../../tickets/tickets.ts'
import { updateTicket } from '../../tickets/update-ticket.ts'
import { ticketEtag } from '../../tickets/views.ts'
import { etag, status, ticketFields, ticketId } from '../schemas.ts'
import { defineTool } from '../tool.ts'
import { viewTicket } from '../views.ts'

const { addTags, removeTags } = actions.properties

export const changeTicket = defineTool({
  name: 'update_ticket',
  title: 'Update a ticket',
  description:
    'Changes the status, the assignee, and the tags of a ticket. What you leave out stays as it is.',
  scope: 'tickets:write',
  input: Type.Object(
    {
      ticket: ticketId,
      status: Type.Optional(status),
      assignedTo: Type.Optional(
        Type.String({
          maxLength: 254,
          description: 'Id or email address of an agent. An empty text unassigns.',
        }),
      ),
      addTags,
      removeTags,
      etag: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'From get_ticket. The change is made only if nothing changed since.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ ...ticketFields, etag }, { additionalProperties: false }),
  effect: 'changes',
  async run({ deps, caller: { orgId } }, { ticket: id, etag: ifMatch, ...change }) {
    await updateTicket(deps, orgId, { id, change, ifMatch })
    const changed = await readTicketRow(deps.database.read, orgId, id)
    return { data: { ...viewTicket(changed), etag: ticketEtag(changed) } }
  },
})
