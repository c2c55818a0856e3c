import { Elysia, t } from 'elysia'
import { PLACES } from '../../database/tables/tickets.ts'
import { isoTimeOrNull } from '../../dates.ts'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { orNull } from '../../requests/schemas.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import type { Ticket } from '../queries.ts'
import { actions, status, tags } from '../schemas.ts'
import { changeTickets } from './change-tickets.ts'

const MAX_ITEMS = 500
const strict = { additionalProperties: false }

const change = t.Object(
  {
    ...actions.properties,
    tags: t.Optional(tags),
    isSpam: t.Optional(t.Boolean()),
  },
  strict,
)
const bulkRequest = t.Object(
  {
    items: t.Array(t.Object({ id: t.String({ maxLength: 64 }), change }, strict), { maxItems: MAX_ITEMS }),
  },
  strict,
)
const before = t.Object({
  status,
  assignedTo: t.Union([t.String(), t.Null()]),
  tags: t.Array(t.String()),
  isSpam: t.Boolean(),
  snoozedUntil: orNull(t.String()),
})
const bulkAnswer = t.Object({
  data: t.Array(t.Object({ id: t.String(), before })),
  missing: t.Array(t.String()),
  /** Ids that were not changed. Sending only these returns the reason. */
  rest: t.Array(t.String()),
})

/** Changing many tickets at once. */
export function bulkRoutes(guard: AgentGuard) {
  return new Elysia({ name: 'bulk/console', prefix: '/console' }).use(guard.requireAgent).post(
    '/bulk',
    async ({ me, as, body }) => {
      const { found, missing, rest } = await changeTickets(as, me.orgId, body.items)
      return { data: found.map(viewBefore), missing, rest }
    },
    {
      parse: arrive,
      transform: [strictQuery(), jsonBody],
      body: bulkRequest,
      response: { 200: bulkAnswer },
    },
  )
}

/** A ticket as it was, written as a change: sending it undoes the change. */
function viewBefore({ id, status, assignedTo, tags, place, snoozedUntil }: Ticket) {
  const isSpam = place === PLACES.spam
  return {
    id,
    before: {
      status,
      assignedTo: assignedTo || null,
      tags,
      isSpam,
      snoozedUntil: isoTimeOrNull(snoozedUntil),
    },
  }
}
