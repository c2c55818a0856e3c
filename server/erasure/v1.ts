import { Elysia, t } from 'elysia'
import type { KeyGuard } from '../api-keys/require-api-key.ts'
import { actingAs, type Deps } from '../deps.ts'
import { strictQuery } from '../requests/query.ts'
import { ticketId } from '../tickets/schemas.ts'
import { actorOf } from '../tickets/v1.ts'
import { noTicket } from '../tickets/v1-document.ts'
import { eraseTicket } from './erase.ts'

/** Permanent deletion, for keys that have this scope by name. */
export function deletionRoutes(deps: Deps, guard: KeyGuard) {
  return new Elysia({ name: 'erasure/v1', prefix: '/v1' }).use(guard.requireApiKey).delete(
    '/tickets/:id',
    async ({ caller, params: { id }, status }) => {
      await eraseTicket(actingAs(deps, actorOf(caller)), caller.orgId, id)
      return status(204, undefined)
    },
    {
      transform: [guard.allow('erase'), strictQuery()],
      params: ticketId,
      response: { 204: t.Undefined() },
      detail: deleteTicket,
    },
  )
}

const deleteTicket = {
  operationId: 'deleteTicket',
  summary: 'Delete a ticket',
  description:
    'Deletes a ticket for good, with its messages, notes, and files, and what webhooks kept of it. Nothing brings it back. The customer stays. Sends `ticket.deleted`.',
  tags: ['Tickets'],
  security: [{ secretKey: ['erase'] }],
  responses: { 204: { description: 'The ticket is deleted.' }, 404: noTicket },
}
