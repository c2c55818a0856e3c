import { Elysia, t } from 'elysia'
import { type Caller, hasScope, idOfCaller, type KeyGuard } from '../../api-keys/require-api-key.ts'
import type { KeyScope } from '../../database/tables/api-keys.ts'
import type { WebhookEvent } from '../../database/tables/events.ts'
import { optionalTime } from '../../dates.ts'
import { actingAs, type Deps } from '../../deps.ts'
import { type Answer, createIdempotency } from '../../idempotency/idempotency.ts'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { actorOf, answerHeaders, idempotent } from '../../tickets/v1.ts'
import { type DeliveryRow, listDeliveries, readDelivery } from '../deliveries/delivery-log.ts'
import { type ResendJob, resendDelivery } from '../deliveries/resend.ts'
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type Endpoint,
  enableEndpoint,
  listEndpoints,
  type NewEndpoint,
  readEndpoint,
  updateEndpoint,
} from '../endpoints/endpoints.ts'
import { rotateSecret } from '../endpoints/secrets.ts'
import { testEndpoint } from '../endpoints/test-delivery.ts'
import { readReplay, replayEvents, replayOf } from './replay.ts'
import {
  delivery,
  deliveryDetail,
  deliveryId,
  deliveryList,
  deliveryQuery,
  endpoint,
  endpointChange,
  endpointId,
  endpointList,
  endpointWithSecret,
  newEndpoint,
  replay,
  replayId,
  replayRequest,
  rotation,
  sentTest,
  testRequest,
} from './schemas.ts'
import { viewReplay, viewV1Delivery, viewV1DeliveryDetail, viewV1Endpoint } from './views.ts'
import * as document from './webhook-operations.ts'

/** Endpoints, their deliveries and replays, for programs. */
export function webhookRoutes(deps: Deps, guard: KeyGuard) {
  const once = createIdempotency(deps)
  const noQuery = strictQuery()
  const reading = { transform: [guard.allow('endpoints:read'), noQuery] }
  const writing = { transform: [guard.allow('endpoints:write'), noQuery] }
  const withBody = {
    parse: arrive,
    transform: [guard.allow('endpoints:write'), noQuery, jsonBody],
  }
  const asCaller = (caller: Caller) => actingAs(deps, actorOf(caller))

  /** A signing secret is at rest only encrypted, in a stored answer too. */
  const seal = ({ endpoint, secret }: NewEndpoint, location: string | null = null) => ({
    status: 201,
    body: {
      ...viewV1Endpoint(endpoint),
      secret: Buffer.from(deps.encryption.encrypt(secret, endpoint.id)).toString('base64'),
    },
    location,
  })
  const unseal = ({ body }: { body: ReturnType<typeof seal>['body'] }) => ({
    ...body,
    secret: deps.encryption.decrypt(Buffer.from(body.secret, 'base64'), body.id),
  })

  return new Elysia({ name: 'webhooks/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .get(
      '/endpoints',
      async ({ caller: { orgId } }) => ({ data: (await listEndpoints(deps, orgId)).map(viewV1Endpoint) }),
      { ...reading, response: { 200: endpointList }, detail: document.listEndpoints },
    )
    .post(
      '/endpoints',
      async ({ caller, body, request, set, status }) => {
        const answer = await once(idempotent(caller, request, { path: '/v1/endpoints', body }), {
          change: (alsoSave) => createEndpoint(asCaller(caller), caller.orgId, body, alsoSave),
          asAnswer: (made: NewEndpoint) => seal(made, `/v1/endpoints/${made.endpoint.id}`),
          shows: ({ endpoint }) => endpoint.id,
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(201, unseal(answer))
      },
      {
        ...withBody,
        body: newEndpoint,
        response: { 201: endpointWithSecret },
        detail: document.createEndpoint,
      },
    )
    .get(
      '/endpoints/:id',
      async ({ caller: { orgId }, params: { id } }) => viewV1Endpoint(await readEndpoint(deps, orgId, id)),
      { ...reading, params: endpointId, response: { 200: endpoint }, detail: document.readEndpoint },
    )
    .patch(
      '/endpoints/:id',
      async ({ caller, params: { id }, body }) =>
        viewV1Endpoint(await updateEndpoint(asCaller(caller), caller.orgId, { id, change: body })),
      {
        ...withBody,
        params: endpointId,
        body: endpointChange,
        response: { 200: endpoint },
        detail: document.updateEndpoint,
      },
    )
    .delete(
      '/endpoints/:id',
      async ({ caller, params: { id }, status }) => {
        await deleteEndpoint(asCaller(caller), caller.orgId, id)
        return status(204, undefined)
      },
      { ...writing, params: endpointId, response: { 204: t.Undefined() }, detail: document.deleteEndpoint },
    )
    .post(
      '/endpoints/:id/enable',
      async ({ caller, params: { id }, request, set }) => {
        const answer = await switched(caller, request, { id, verb: enableEndpoint, name: 'enable' })
        Object.assign(set.headers, answerHeaders(answer))
        return answer.body
      },
      { ...writing, params: endpointId, response: { 200: endpoint }, detail: document.enableEndpoint },
    )
    .post(
      '/endpoints/:id/disable',
      async ({ caller, params: { id }, request, set }) => {
        const answer = await switched(caller, request, { id, verb: disableEndpoint, name: 'disable' })
        Object.assign(set.headers, answerHeaders(answer))
        return answer.body
      },
      { ...writing, params: endpointId, response: { 200: endpoint }, detail: document.disableEndpoint },
    )
    .post(
      '/endpoints/:id/rotate',
      async ({ caller, params: { id }, query, request, set, status }) => {
        const { force = false } = query
        const path = `/v1/endpoints/${id}/rotate`
        const answer = await once(idempotent(caller, request, { path, body: { force } }), {
          change: (alsoSave) => rotateSecret(asCaller(caller), caller.orgId, id, { force }, alsoSave),
          asAnswer: (made: NewEndpoint) => seal(made),
          shows: () => id,
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(201, unseal(answer))
      },
      {
        transform: [guard.allow('endpoints:write'), strictQuery(rotation)],
        params: endpointId,
        query: rotation,
        response: { 201: endpointWithSecret },
        detail: document.rotateSecret,
      },
    )
    .post(
      '/endpoints/:id/test',
      async ({ caller, params: { id }, body, request, set, status }) => {
        const path = `/v1/endpoints/${id}/test`
        const answer = await once(idempotent(caller, request, { path, body }), {
          change: (alsoSave) => testEndpoint(asCaller(caller), caller.orgId, { id, ...body }, alsoSave),
          asAnswer: (sent: { deliveryId: string }) => accepted(sent, `/v1/deliveries/${sent.deliveryId}`),
          shows: () => id,
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(202, answer.body)
      },
      {
        ...withBody,
        params: endpointId,
        body: testRequest,
        response: { 202: sentTest },
        detail: document.testEndpoint,
      },
    )
    .get(
      '/deliveries',
      async ({ caller, query, request: { signal } }) => {
        const { endpoint: endpointId, since, until, ...filter } = query
        const found = await listDeliveries(
          deps,
          caller.orgId,
          {
            ...filter,
            endpointId,
            since: optionalTime(since),
            until: optionalTime(until),
          },
          { agentId: idOfCaller(caller), signal },
        )
        const meta = found.nextCursor === null ? {} : { nextCursor: found.nextCursor }
        return { data: found.deliveries.map(viewV1Delivery), meta }
      },
      {
        transform: [guard.allow('endpoints:read'), strictQuery(deliveryQuery)],
        query: deliveryQuery,
        response: { 200: deliveryList },
        detail: document.listDeliveries,
      },
    )
    .get(
      '/deliveries/:id',
      async ({ caller, params: { id } }) => {
        const found = await readDelivery(deps, caller.orgId, id)
        return viewV1DeliveryDetail(found, hasScope(caller, scopeOfBody(found.eventType)))
      },
      { ...reading, params: deliveryId, response: { 200: deliveryDetail }, detail: document.readDelivery },
    )
    .post(
      '/deliveries/:id/resend',
      async ({ caller, params: { id }, request, set, status }) => {
        const path = `/v1/deliveries/${id}/resend`
        const answer = await once(idempotent(caller, request, { path, body: {} }), {
          change: (alsoSave) => resendDelivery(asCaller(caller), caller.orgId, id, alsoSave),
          asAnswer: (row: DeliveryRow) => accepted(viewV1Delivery(row)),
          shows: ({ ticketId }) => ticketId ?? '',
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(202, answer.body)
      },
      { ...writing, params: deliveryId, response: { 202: delivery }, detail: document.resendDelivery },
    )
    .post(
      '/endpoints/:id/replay',
      async ({ caller, params: { id }, body, request, set, status }) => {
        const path = `/v1/endpoints/${id}/replay`
        const answer = await once(idempotent(caller, request, { path, body }), {
          change: (alsoSave) => replayEvents(asCaller(caller), caller.orgId, replayOf(id, body), alsoSave),
          asAnswer: (job: ResendJob) => accepted(viewReplay(job), `/v1/replays/${job.id}`),
          shows: () => id,
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(202, answer.body)
      },
      {
        ...withBody,
        params: endpointId,
        body: replayRequest,
        response: { 202: replay },
        detail: document.replayEvents,
      },
    )
    .get(
      '/replays/:id',
      async ({ caller: { orgId }, params: { id } }) => viewReplay(await readReplay(deps, orgId, id)),
      { ...reading, params: replayId, response: { 200: replay }, detail: document.readReplay },
    )

  /** Turns an endpoint on or off. */
  function switched(
    caller: Caller,
    request: Request,
    { id, verb, name }: { id: string; verb: typeof enableEndpoint; name: 'enable' | 'disable' },
  ) {
    return once(idempotent(caller, request, { path: `/v1/endpoints/${id}/${name}`, body: {} }), {
      change: (alsoSave) => verb(asCaller(caller), caller.orgId, id, alsoSave),
      asAnswer: (row: Endpoint) => ({ status: 200, body: viewV1Endpoint(row) }),
      shows: () => id,
    })
  }
}

function accepted<Body>(body: Body, location: string | null = null): Answer<Body> {
  return { status: 202, body, location }
}

/** What someone needs to read the body of an event. */
function scopeOfBody(event: WebhookEvent): KeyScope {
  const type: string = event
  if (type === 'note.added') return 'notes:read'
  return type.startsWith('customer.') ? 'customers:read' : 'tickets:read'
}
