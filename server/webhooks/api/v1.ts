import { Elysia, t } from 'elysia'
import { type Caller, hasScope, idOfCaller, type KeyGuard } from '../../api-keys/require-api-key.ts'
import type { KeyScope } from '../../database/tables/api-keys.ts'
import type { WebhookEvent } from '../../database/tables/events.ts'
import { actingAs, type Deps } from '../../deps.ts'
import { type Answer, createIdempotency } from '../../idempotency/idempotency.ts'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { actorOf, answerHeaders, idempotent } from '../../tickets/v1.ts'
import { listDeliveries, readDelivery } from '../deliveries/delivery-log.ts'
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
    etag: null,
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
        const at = (made: NewEndpoint) => seal(made, `/v1/endpoints/${made.endpoint.id}`)
        const answer = await once<ReturnType<typeof seal>['body']>(
          idempotent(caller, request, { path: '/v1/endpoints', body }),
          async (remember) =>
            at(
              await createEndpoint(asCaller(caller), caller.orgId, body, (tx, made) =>
                remember(tx, at(made), made.endpoint.id),
              ),
            ),
        )
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
        const answer = await once<ReturnType<typeof seal>['body']>(
          idempotent(caller, request, { path: `/v1/endpoints/${id}/rotate`, body: { force } }),
          async (remember) =>
            seal(
              await rotateSecret(asCaller(caller), caller.orgId, id, { force }, (tx, made) =>
                remember(tx, seal(made), id),
              ),
            ),
        )
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
        const asAnswer = (sent: { deliveryId: string }) => accepted(sent, `/v1/deliveries/${sent.deliveryId}`)
        const answer = await once<{ deliveryId: string }>(
          idempotent(caller, request, { path: `/v1/endpoints/${id}/test`, body }),
          async (remember) =>
            asAnswer(
              await testEndpoint(asCaller(caller), caller.orgId, { id, ...body }, (tx, sent) =>
                remember(tx, asAnswer(sent), id),
              ),
            ),
        )
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
            since: since === undefined ? undefined : Date.parse(since),
            until: until === undefined ? undefined : Date.parse(until),
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
        const answer = await once<ReturnType<typeof viewV1Delivery>>(
          idempotent(caller, request, { path: `/v1/deliveries/${id}/resend`, body: {} }),
          async (remember) =>
            accepted(
              viewV1Delivery(
                await resendDelivery(asCaller(caller), caller.orgId, id, (tx, row) =>
                  remember(tx, accepted(viewV1Delivery(row)), row.ticketId ?? ''),
                ),
              ),
            ),
        )
        Object.assign(set.headers, answerHeaders(answer))
        return status(202, answer.body)
      },
      { ...writing, params: deliveryId, response: { 202: delivery }, detail: document.resendDelivery },
    )
    .post(
      '/endpoints/:id/replay',
      async ({ caller, params: { id }, body, request, set, status }) => {
        const asAnswer = (job: ResendJob) => accepted(viewReplay(job), `/v1/replays/${job.id}`)
        const answer = await once<ReturnType<typeof viewReplay>>(
          idempotent(caller, request, { path: `/v1/endpoints/${id}/replay`, body }),
          async (remember) =>
            asAnswer(
              await replayEvents(asCaller(caller), caller.orgId, replayOf(id, body), (tx, job) =>
                remember(tx, asAnswer(job), id),
              ),
            ),
        )
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
    const asAnswer = (row: Endpoint) => ({
      status: 200,
      body: viewV1Endpoint(row),
      location: null,
      etag: null,
    })
    return once<ReturnType<typeof viewV1Endpoint>>(
      idempotent(caller, request, { path: `/v1/endpoints/${id}/${name}`, body: {} }),
      async (remember) =>
        asAnswer(
          await verb(asCaller(caller), caller.orgId, id, (tx, row) => remember(tx, asAnswer(row), id)),
        ),
    )
  }
}

function accepted<Body>(body: Body, location: string | null = null): Answer<Body> {
  return { status: 202, body, location, etag: null }
}

/** What someone needs to read the body of an event. */
function scopeOfBody(event: WebhookEvent): KeyScope {
  const type: string = event
  if (type === 'note.added') return 'notes:read'
  return type.startsWith('customer.') ? 'customers:read' : 'tickets:read'
}
