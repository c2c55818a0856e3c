import { Elysia, t } from 'elysia'
import type { KeyGuard } from '../../api-keys/require-api-key.ts'
import { actingAs, type Deps } from '../../deps.ts'
import { createIdempotency } from '../../idempotency/idempotency.ts'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import type { Problem } from '../../responses/problem.ts'
import { problem } from '../../responses/schemas.ts'
import { ticketChange } from '../schemas.ts'
import { actorOf, answerHeaders, idempotent } from '../v1.ts'
import { badBody, idempotency, idempotencyKey, replayed } from '../v1-document.ts'
import { changeEach, type Outcome } from './change-each.ts'
import { changeOf } from './requested-change.ts'

const MAX_TICKETS = 100
const TICKET_ID = 'tkt_01jq8z5w8wf6r9f5v0h3q1x2yz'

const bulkChange = t.Object(
  {
    ids: t.Array(t.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: MAX_TICKETS,
      description: 'Ticket ids.',
      examples: [[TICKET_ID]],
    }),
    change: ticketChange,
  },
  {
    $id: 'BulkChange',
    additionalProperties: false,
    examples: [{ ids: [TICKET_ID], change: { status: 'resolved', addTags: ['refund'] } }],
  },
)

const outcomes = t.Object(
  {
    data: t.Array(
      t.Object(
        {
          id: t.String({ description: 'Ticket id, as you sent it.', examples: [TICKET_ID] }),
          status: t.Integer({
            description: 'The status that a request to change this ticket would get.',
            examples: [200],
          }),
          problem: t.Optional(t.Unsafe<Problem>(problem)),
        },
        { $id: 'BulkOutcome' },
      ),
      { description: 'One for each id, in their order.' },
    ),
  },
  { $id: 'BulkOutcomes', examples: [{ data: [{ id: TICKET_ID, status: 200 }] }] },
)

/** Changes many tickets at once, each in a unit of its own. */
export function bulkChangeRoutes(deps: Deps, guard: KeyGuard) {
  const once = createIdempotency(deps)
  return new Elysia({ name: 'bulk/v1', prefix: '/v1' }).use(guard.requireApiKey).post(
    '/tickets/bulk',
    async ({ caller, body, request, set }) => {
      const { orgId } = caller
      const { ids } = body
      const change = changeOf(body.change, '/change')
      const requestId = String(set.headers['x-request-id'])
      const wanted = idempotent(caller, request, { path: '/v1/tickets/bulk', body })
      const answer = await once(wanted, {
        async change(alsoSave) {
          const as = actingAs(deps, actorOf(caller))
          const outcomes = await changeEach(as, orgId, { ids, change, requestId })
          // After a crash before this, the same request makes the same changes, and those that are made have no effect.
          if (wanted.key !== null) await deps.database.write(orgId, (tx) => alsoSave(tx, outcomes))
          return outcomes
        },
        asAnswer: (data: Outcome[]) => ({ status: 200, body: { data } }),
        shows: () => ids[0] ?? '',
      })
      Object.assign(set.headers, answerHeaders(answer))
      return answer.body
    },
    {
      parse: arrive,
      transform: [guard.allow('tickets:write'), strictQuery(), jsonBody],
      body: bulkChange,
      response: { 200: outcomes },
      detail: {
        operationId: 'changeTickets',
        summary: 'Update many tickets',
        description:
          'Makes the same change to up to 100 tickets. Each is changed for itself, as by a request of its own, with a `ticket.updated` of its own: one that can’t be changed leaves the others alone.',
        tags: ['Tickets'],
        security: [{ secretKey: ['tickets:write'] }],
        parameters: [idempotencyKey],
        responses: {
          200: {
            description: 'What became of each ticket.',
            headers: { 'Idempotency-Replayed': replayed },
          },
          ...idempotency,
          ...badBody,
        },
      },
    },
  )
}
