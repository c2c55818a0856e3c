import { Elysia, t } from 'elysia'
import { accountHandlers, accountHooks } from '../../channels/accounts/routes.ts'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { OFF_REASONS } from '../../database/tables/webhooks.ts'
import { oneOf, orNull } from '../../requests/schemas.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { DELIVERY_ERRORS } from '../deliveries/delivery-errors.ts'
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  listEndpoints,
  readEndpoint,
  updateEndpoint,
} from './endpoints.ts'
import { chosenFilters, endpointFilters } from './schemas.ts'
import { cancelStagedSecret, promoteSecret, rotateSecret, stageSecret } from './secrets.ts'
import { testEndpoint } from './test-delivery.ts'
import { viewEndpoint } from './views.ts'

const time = t.String({ format: 'date-time' })
const error = t.Object({ code: oneOf(DELIVERY_ERRORS), sentence: t.String() })
const strict = { additionalProperties: false }

// Only limits. `validate.ts` reports all faults of an address and its events at once.
const address = t.String({ maxLength: 2_048 })
const description = t.String({ maxLength: 4_096 })
const event = t.Unsafe<WebhookEvent>(t.String({ maxLength: 64 }))
const events = t.Array(event, { maxItems: 50 })

const newEndpoint = t.Object(
  { url: address, events, description: t.Optional(description), ...endpointFilters },
  strict,
)
const endpointChange = t.Object({ ...t.Partial(newEndpoint).properties }, strict)
const secretStep = t.Object(
  { step: oneOf(['rotate', 'stage', 'promote', 'cancel']), force: t.Optional(t.Boolean()) },
  strict,
)
const testRequest = t.Object({ event }, strict)

const endpointSchema = t.Object({
  id: t.String(),
  url: t.String(),
  description: t.String(),
  events: t.Array(oneOf(WEBHOOK_EVENTS)),
  ...chosenFilters,
  isOn: t.Boolean(),
  offReason: orNull(oneOf(OFF_REASONS)),
  offAt: orNull(time),
  hasStagedSecret: t.Boolean(),
  previousSecretUntil: orNull(time),
  health: t.Object({
    successRate: orNull(t.Number()),
    recentAttempts: t.Integer(),
    failingSince: orNull(time),
    lastSuccessAt: orNull(time),
    lastErrorAt: orNull(time),
    lastError: orNull(error),
  }),
  createdAt: time,
  updatedAt: time,
})
const endpointWithSecret = t.Object({ endpoint: endpointSchema, secret: t.String() })
/** A new secret is in the response only once: when it is staged or rotated, not when it is promoted. */
const endpointAfterStep = t.Object({ endpoint: endpointSchema, secret: t.Optional(t.String()) })
const sentTest = t.Object({ deliveryId: t.String() })

/** Endpoints and their secrets, for administrators. */
export function endpointRoutes(guard: AgentGuard) {
  const { all, one, gone, withBody } = accountHooks(guard, endpointSchema)
  const endpoints = accountHandlers({
    list: listEndpoints,
    viewAll: async (_, rows) => rows.map(viewEndpoint),
  })
  return new Elysia({ name: 'endpoints/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/endpoints', endpoints.list, all)
    .get('/endpoints/:id', endpoints.after(readEndpoint), one)
    .post(
      '/endpoints/:id/test',
      async ({ me, as, params: { id }, body: { event }, status }) =>
        status(202, await testEndpoint(as, me.orgId, { id, event })),
      { ...one, ...withBody, body: testRequest, response: { 202: sentTest } },
    )
    .post(
      '/endpoints',
      async ({ me, as, body, status }) => {
        const { endpoint, secret } = await createEndpoint(as, me.orgId, body)
        return status(201, { endpoint: viewEndpoint(endpoint), secret })
      },
      { ...withBody, body: newEndpoint, response: { 201: endpointWithSecret } },
    )
    .patch(
      '/endpoints/:id',
      async ({ me, as, params: { id }, body }) =>
        viewEndpoint(await updateEndpoint(as, me.orgId, { id, change: body })),
      { ...one, ...withBody, body: endpointChange },
    )
    .delete('/endpoints/:id', endpoints.remove(deleteEndpoint), gone)
    .post('/endpoints/:id/enable', endpoints.after(enableEndpoint), one)
    .post('/endpoints/:id/disable', endpoints.after(disableEndpoint), one)
    .post(
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
      { ...one, ...withBody, body: secretStep, response: { 200: endpointAfterStep } },
    )
}
