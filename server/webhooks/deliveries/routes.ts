import { Elysia, t } from 'elysia'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { ATTEMPT_KINDS, DELIVERY_STATES } from '../../database/tables/webhooks.ts'
import { optionalTime } from '../../dates.ts'
import type { Deps } from '../../deps.ts'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { byId, oneOf, orNull } from '../../requests/schemas.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { DELIVERY_ERRORS } from './delivery-errors.ts'
import { listDeliveries, readDelivery } from './delivery-log.ts'
import { readResendJob, resendDelivery, resendFailedSince } from './resend.ts'
import { viewDelivery, viewDeliveryDetail, viewResendJob } from './views.ts'

const time = t.String({ format: 'date-time' })
const error = t.Object({ code: oneOf(DELIVERY_ERRORS), sentence: t.String() })
const headers = t.Record(t.String(), t.String())
const id = t.String({ maxLength: 64 })
const event = t.Unsafe<WebhookEvent>(t.String({ maxLength: 64 }))
const strict = { additionalProperties: false }

const resendRequest = t.Object({ since: time }, strict)
const deliveryQuery = t.Object(
  {
    endpointId: t.Optional(id),
    event: t.Optional(event),
    state: t.Optional(oneOf(DELIVERY_STATES)),
    since: t.Optional(time),
    until: t.Optional(time),
    cursor: t.Optional(id),
    limit: t.Optional(t.Integer({ minimum: 1, maximum: 100 })),
  },
  strict,
)

const deliveryFields = {
  id: t.String(),
  endpointId: t.String(),
  url: t.String(),
  event: oneOf(WEBHOOK_EVENTS),
  isTest: t.Boolean(),
  ticketId: orNull(t.String()),
  state: oneOf(DELIVERY_STATES),
  attempts: t.Integer(),
  lastStatus: orNull(t.Integer()),
  lastError: orNull(error),
  nextAttemptAt: orNull(time),
  createdAt: time,
  finishedAt: orNull(time),
}
const deliverySchema = t.Object(deliveryFields)
const deliveryList = t.Object({ data: t.Array(deliverySchema), nextCursor: t.Optional(t.String()) })
const deliveryDetail = t.Object({
  ...deliveryFields,
  body: orNull(t.String()),
  history: t.Array(
    t.Object({
      number: t.Integer(),
      kind: oneOf(ATTEMPT_KINDS),
      url: t.String(),
      startedAt: time,
      durationMs: orNull(t.Integer()),
      succeeded: orNull(t.Boolean()),
      status: orNull(t.Integer()),
      error: orNull(error),
      detail: orNull(t.String()),
      requestHeaders: orNull(headers),
      responseHeaders: orNull(headers),
      responseBody: orNull(t.String()),
      isResponseBodyCut: t.Boolean(),
    }),
  ),
})
const resendJobSchema = t.Object({
  id: t.String(),
  endpointId: t.String(),
  since: time,
  until: time,
  resent: t.Integer(),
  createdAt: time,
  finishedAt: orNull(time),
})

/** The delivery log and resending, for administrators. */
export function deliveryRoutes(deps: Deps, guard: AgentGuard) {
  const transform = [guard.adminsOnly, strictQuery()]
  return new Elysia({ name: 'deliveries/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/deliveries',
      async ({ me: { orgId, agentId }, query: { since, until, ...query }, request: { signal } }) => {
        const filter = {
          ...query,
          since: optionalTime(since),
          until: optionalTime(until),
        }
        const found = await listDeliveries(deps, orgId, filter, { agentId, signal })
        const data = found.deliveries.map(viewDelivery)
        return found.nextCursor === null ? { data } : { data, nextCursor: found.nextCursor }
      },
      {
        transform: [guard.adminsOnly, strictQuery(deliveryQuery)],
        query: deliveryQuery,
        response: { 200: deliveryList },
      },
    )
    .get(
      '/deliveries/:id',
      async ({ me, params }) => viewDeliveryDetail(await readDelivery(deps, me.orgId, params.id)),
      { transform, params: byId, response: { 200: deliveryDetail } },
    )
    .post(
      '/deliveries/:id/resend',
      async ({ me, as, params }) => {
        const resent = await resendDelivery(as, me.orgId, params.id)
        return viewDelivery(resent)
      },
      { transform, params: byId, response: { 200: deliverySchema } },
    )
    .post(
      '/endpoints/:id/resend',
      async ({ me, as, params, body, status }) => {
        const since = Date.parse(body.since)
        return status(
          202,
          viewResendJob(await resendFailedSince(as, me.orgId, { endpointId: params.id, since })),
        )
      },
      {
        parse: arrive,
        transform: [...transform, jsonBody],
        params: byId,
        body: resendRequest,
        response: { 202: resendJobSchema },
      },
    )
    .get(
      '/resends/:id',
      async ({ me, params }) => viewResendJob(await readResendJob(deps, me.orgId, params.id)),
      { transform, params: byId, response: { 200: resendJobSchema } },
    )
}
