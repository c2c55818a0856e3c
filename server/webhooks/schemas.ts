import { t } from 'elysia'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../database/tables/events.ts'
import { ATTEMPT_KINDS, DELIVERY_STATES, OFF_REASONS } from '../database/tables/webhooks.ts'
import { oneOf, orNull } from '../requests/choices.ts'
import { DELIVERY_ERRORS } from './deliveries/delivery-errors.ts'

const time = t.String({ format: 'date-time' })
const error = t.Object({ code: oneOf(DELIVERY_ERRORS), sentence: t.String() })
const headers = t.Record(t.String(), t.String())

const id = t.String({ maxLength: 64 })

// Only limits. `validate.ts` reports all faults of an address and its events at once.
const address = t.String({ maxLength: 2_048 })
const description = t.String({ maxLength: 4_096 })
const event = t.Unsafe<WebhookEvent>(t.String({ maxLength: 64 }))
const events = t.Array(event, { maxItems: 50 })
const strict = { additionalProperties: false }

export const newEndpoint = t.Object({ url: address, events, description: t.Optional(description) }, strict)
export const endpointChange = t.Partial(t.Object({ url: address, events, description }), strict)
export const secretStep = t.Object(
  { step: oneOf(['rotate', 'stage', 'promote', 'cancel']), force: t.Optional(t.Boolean()) },
  strict,
)
export const testRequest = t.Object({ event }, strict)
export const resendRequest = t.Object({ since: time }, strict)
export const deliveryQuery = t.Object(
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

export const endpoint = t.Object({
  id: t.String(),
  url: t.String(),
  description: t.String(),
  events: t.Array(oneOf(WEBHOOK_EVENTS)),
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
export const endpointList = t.Object({ data: t.Array(endpoint) })
export const endpointWithSecret = t.Object({ endpoint, secret: t.String() })
export const endpointAfterStep = t.Object({ endpoint, secret: t.Optional(t.String()) })

const shownDelivery = {
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
export const delivery = t.Object(shownDelivery)
export const deliveryList = t.Object({ data: t.Array(delivery), nextCursor: t.Optional(t.String()) })
export const deliveryDetail = t.Object({
  ...shownDelivery,
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

export const resendJob = t.Object({
  id: t.String(),
  endpointId: t.String(),
  since: time,
  until: time,
  resent: t.Integer(),
  createdAt: time,
  finishedAt: orNull(time),
})
export const sentTest = t.Object({ deliveryId: t.String() })
