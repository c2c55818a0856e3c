import { Elysia, t } from 'elysia'
import type { Deps } from '../deps.ts'
import { byId } from '../requests/by-id.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { parseTime } from '../requests/parse-time.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { listDeliveries, readDelivery } from './deliveries/delivery-log.ts'
import { readResendJob, resendDelivery, resendFailedSince } from './deliveries/resend.ts'
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  listEndpoints,
  readEndpoint,
  updateEndpoint,
} from './endpoints/endpoints.ts'
import { cancelStagedSecret, promoteSecret, rotateSecret, stageSecret } from './endpoints/secrets.ts'
import { testEndpoint } from './endpoints/test-delivery.ts'
import * as schemas from './schemas.ts'
import { viewDelivery, viewDeliveryDetail, viewEndpoint, viewResendJob } from './views.ts'

/** Endpoints and the delivery log, for administrators. */
export function webhookRoutes(deps: Deps, guard: AgentGuard) {
  return new Elysia({ name: 'webhooks/console', prefix: '/console' })
    .use(endpointRoutes(guard))
    .use(secretRoutes(guard))
    .use(deliveryRoutes(deps, guard))
}

const noQuery = strictQuery()

function endpointRoutes(guard: AgentGuard) {
  const transform = [guard.adminsOnly, noQuery]
  const withBody = { parse: arrive, transform: [...transform, jsonBody] }
  return new Elysia({ name: 'webhooks/endpoints' })
    .use(guard.requireAgent)
    .get(
      '/endpoints',
      async ({ me, as }) => ({ data: (await listEndpoints(as, me.orgId)).map(viewEndpoint) }),
      { transform, response: { 200: schemas.endpointList } },
    )
    .get(
      '/endpoints/:id',
      async ({ me, as, params }) => viewEndpoint(await readEndpoint(as, me.orgId, params.id)),
      { transform, params: byId, response: { 200: schemas.endpoint } },
    )
    .post(
      '/endpoints/:id/test',
      async ({ me, as, params: { id }, body: { event }, status }) =>
        status(202, await testEndpoint(as, me.orgId, { id, event })),
      { ...withBody, params: byId, body: schemas.testRequest, response: { 202: schemas.sentTest } },
    )
    .post(
      '/endpoints/:id/resend',
      async ({ me, as, params, body, status }) => {
        const since = parseTime(body.since, { pointer: '/since' })
        return status(
          202,
          viewResendJob(await resendFailedSince(as, me.orgId, { endpointId: params.id, since })),
        )
      },
      { ...withBody, params: byId, body: schemas.resendRequest, response: { 202: schemas.resendJob } },
    )
    .post(
      '/endpoints',
      async ({ me, as, body, status }) => {
        const { endpoint, secret } = await createEndpoint(as, me.orgId, body)
        return status(201, { endpoint: viewEndpoint(endpoint), secret })
      },
      { ...withBody, body: schemas.newEndpoint, response: { 201: schemas.endpointWithSecret } },
    )
    .patch(
      '/endpoints/:id',
      async ({ me, as, params: { id }, body }) =>
        viewEndpoint(await updateEndpoint(as, me.orgId, { id, change: body })),
      { ...withBody, params: byId, body: schemas.endpointChange, response: { 200: schemas.endpoint } },
    )
    .delete(
      '/endpoints/:id',
      async ({ me, as, params, status }) => {
        await deleteEndpoint(as, me.orgId, params.id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
    .post(
      '/endpoints/:id/enable',
      async ({ me, as, params }) => viewEndpoint(await enableEndpoint(as, me.orgId, params.id)),
      { transform, params: byId, response: { 200: schemas.endpoint } },
    )
    .post(
      '/endpoints/:id/disable',
      async ({ me, as, params }) => viewEndpoint(await disableEndpoint(as, me.orgId, params.id)),
      { transform, params: byId, response: { 200: schemas.endpoint } },
    )
}

/** A new secret is in the response only once: when it is staged or rotated, not when it is promoted. */
function secretRoutes(guard: AgentGuard) {
  return new Elysia({ name: 'webhooks/secrets' }).use(guard.requireAgent).post(
    '/endpoints/:id/secret',
    async ({ me: { orgId }, as, params: { id }, body: { step, force } }) => {
      switch (step) {
        case 'promote':
          return { endpoint: viewEndpoint(await promoteSecret(as, orgId, id)) }
        case 'cancel':
          return { endpoint: viewEndpoint(await cancelStagedSecret(as, orgId, id)) }
        case 'stage': {
          const { endpoint, secret } = await stageSecret(as, orgId, id)
          return { endpoint: viewEndpoint(endpoint), secret }
        }
        case 'rotate': {
          const { endpoint, secret } = await rotateSecret(as, orgId, id, { force: force ?? false })
          return { endpoint: viewEndpoint(endpoint), secret }
        }
      }
    },
    {
      parse: arrive,
      transform: [guard.adminsOnly, noQuery, jsonBody],
      params: byId,
      body: schemas.secretStep,
      response: { 200: schemas.endpointAfterStep },
    },
  )
}

function deliveryRoutes(deps: Deps, guard: AgentGuard) {
  const transform = [guard.adminsOnly, noQuery]
  return new Elysia({ name: 'webhooks/deliveries' })
    .use(guard.requireAgent)
    .get(
      '/deliveries',
      async ({ me, query: { since, until, ...filter } }) => {
        const found = await listDeliveries(deps, me.orgId, {
          ...filter,
          since: since === undefined ? undefined : parseTime(since, { parameter: 'since' }),
          until: until === undefined ? undefined : parseTime(until, { parameter: 'until' }),
        })
        const data = found.deliveries.map(viewDelivery)
        return found.nextCursor === null ? { data } : { data, nextCursor: found.nextCursor }
      },
      {
        transform: [guard.adminsOnly, strictQuery(schemas.deliveryQuery)],
        query: schemas.deliveryQuery,
        response: { 200: schemas.deliveryList },
      },
    )
    .get(
      '/deliveries/:id',
      async ({ me, params }) => viewDeliveryDetail(await readDelivery(deps, me.orgId, params.id)),
      { transform, params: byId, response: { 200: schemas.deliveryDetail } },
    )
    .post(
      '/deliveries/:id/resend',
      async ({ me, as, params }) => {
        await resendDelivery(as, me.orgId, params.id)
        return viewDelivery(await readDelivery(as, me.orgId, params.id))
      },
      { transform, params: byId, response: { 200: schemas.delivery } },
    )
    .get(
      '/resends/:id',
      async ({ me, params }) => viewResendJob(await readResendJob(deps, me.orgId, params.id)),
      { transform, params: byId, response: { 200: schemas.resendJob } },
    )
}
