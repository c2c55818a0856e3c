import { t } from 'elysia'
import { WEBHOOK_EVENTS } from '../../database/tables/events.ts'
import { ATTEMPT_KINDS, DELIVERY_STATES, OFF_REASONS } from '../../database/tables/webhooks.ts'
import { described, oneOf } from '../../requests/schemas.ts'
import { text } from '../../text/text.ts'
import { time } from '../../tickets/schemas.ts'
import { DELIVERY_ERRORS } from '../deliveries/delivery-errors.ts'
import { chosenFilters, endpointFilters } from '../endpoints/schemas.ts'

const ENDPOINT = 'whe_01jq8z5w8wf6r9f5v0h3q1x2yz'
const DELIVERY = 'dlv_01jq8z5w8wf6r9f5v0h3q1x2yz'
const JOB = 'job_01jq8z5w8wf6r9f5v0h3q1x2yz'
const TIME = '2026-03-01T09:30:00.000Z'
const URL_EXAMPLE = 'https://hooks.example.com/bellhop'
const MAX_EVENTS = 50

const strict = { additionalProperties: false }
const id = (example: string, description: string) => t.String({ description, examples: [example] })
const when = (description: string) =>
  t.String({ format: 'date-time', maxLength: 64, description, examples: [TIME] })

const event = oneOf(WEBHOOK_EVENTS, 'An event that endpoints can subscribe to.', 'WebhookEvent')
const error = t.Object(
  { code: oneOf(DELIVERY_ERRORS, 'Why an attempt failed.', 'DeliveryErrorCode'), sentence: t.String() },
  { $id: 'DeliveryError' },
)

export const endpointId = t.Object({ id: id(ENDPOINT, 'Endpoint id.') })
export const deliveryId = t.Object({ id: id(DELIVERY, 'Delivery id.') })

const settings = {
  url: t.String({
    maxLength: 2_048,
    description: 'A public `https://` URL that accepts POST requests.',
    examples: [URL_EXAMPLE],
  }),
  events: t.Array(event, {
    minItems: 1,
    maxItems: MAX_EVENTS,
    description: 'The events that it gets.',
    examples: [['ticket.created', 'message.sent']],
  }),
  description: t.Optional(
    text({ minLength: 0, maxLength: 255, description: 'What it is for.', examples: ['Billing'] }),
  ),
  ...endpointFilters,
}

export const newEndpoint = t.Object(settings, {
  $id: 'NewEndpoint',
  ...strict,
  examples: [{ url: URL_EXAMPLE, events: ['ticket.created', 'message.sent'], channels: ['email'] }],
})

export const endpointChange = t.Object(
  { ...settings, url: t.Optional(settings.url), events: t.Optional(settings.events) },
  {
    $id: 'EndpointChange',
    ...strict,
    description: 'Fields you leave out don’t change.',
    examples: [{ events: ['message.sent'], tags: ['vip'] }],
  },
)

const endpointExample = {
  id: ENDPOINT,
  url: URL_EXAMPLE,
  description: 'Billing',
  events: ['ticket.created', 'message.sent'],
  channels: ['email'],
  tags: [],
  changes: [],
  isOn: true,
  hasStagedSecret: false,
  health: { successRate: 1, recentAttempts: 12, lastSuccessAt: TIME },
  createdAt: TIME,
  updatedAt: TIME,
}

export const endpoint = t.Object(
  {
    id: id(ENDPOINT, 'Endpoint id.'),
    url: t.String(),
    description: t.String(),
    events: t.Array(event),
    ...chosenFilters,
    isOn: t.Boolean({ description: 'While it is off, its deliveries are held.' }),
    offReason: t.Optional(
      oneOf(
        OFF_REASONS,
        '`manual`, `failing` (120 hours of failures only, 20 or more), or `gone` (a final 410). Absent while it is on.',
        'OffReason',
      ),
    ),
    offAt: t.Optional(time('When it went off. Absent while it is on.')),
    hasStagedSecret: t.Boolean({
      description: 'Whether a new secret, staged in the settings, signs `webhook-signature` too.',
    }),
    previousSecretUntil: t.Optional(
      time('Until then, the previous secret signs `webhook-signature` too. Absent if there is none.'),
    ),
    health: t.Object(
      {
        successRate: t.Optional(
          t.Number({ description: 'From 0 to 1, of the newest 100 attempts. Absent before the first.' }),
        ),
        recentAttempts: t.Integer({ description: 'How many attempts these are.' }),
        failingSince: t.Optional(time('Since when every attempt failed. Absent after a success.')),
        lastSuccessAt: t.Optional(time('When an attempt last succeeded.')),
        lastErrorAt: t.Optional(time('When an attempt last failed.')),
        lastError: t.Optional(error),
      },
      { $id: 'EndpointHealth', description: 'Of its attempts, tests excluded.' },
    ),
    createdAt: time('When it was created.'),
    updatedAt: time('When it last changed.'),
  },
  { $id: 'Endpoint', description: 'Where webhooks are sent.', examples: [endpointExample] },
)

export const endpointWithSecret = t.Object(
  {
    ...endpoint.properties,
    secret: t.String({
      description: 'The signing secret. You get it only now.',
      examples: ['whsec_c2FtcGxlIHNlY3JldCBvZiAzMiBieXRlcywgZGVtbyE='],
    }),
  },
  { $id: 'EndpointWithSecret', base: endpoint },
)

export const endpointList = t.Object(
  { data: t.Array(endpoint) },
  { $id: 'EndpointList', description: 'All endpoints, oldest first. There are at most 50.' },
)

export const rotation = t.Object(
  {
    force: t.Optional(
      t.Boolean({
        description: 'Ends a previous secret that still signs. Without it, the answer is 409 then.',
        examples: [true],
      }),
    ),
  },
  strict,
)

export const testRequest = t.Object(
  { event: described(event, 'The event to send a sample of.') },
  { $id: 'EndpointTest', ...strict, examples: [{ event: 'ticket.created' }] },
)
export const sentTest = t.Object(
  { deliveryId: id(DELIVERY, 'Its line in the delivery log.') },
  { $id: 'SentTest', examples: [{ deliveryId: DELIVERY }] },
)

export const deliveryQuery = t.Object(
  {
    endpoint: t.Optional(
      t.String({
        maxLength: 64,
        description: 'Only deliveries to the endpoint with this id.',
        examples: [ENDPOINT],
      }),
    ),
    state: t.Optional(oneOf(DELIVERY_STATES, 'Only deliveries in this state.')),
    event: t.Optional(described(event, 'Only deliveries of this event.')),
    since: t.Optional(when('Only deliveries that were queued at this time or later.')),
    until: t.Optional(when('Only deliveries that were queued before this time.')),
    limit: t.Optional(
      t.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Deliveries per page.' }),
    ),
    cursor: t.Optional(
      t.String({
        maxLength: 64,
        description: '`meta.nextCursor` of the previous page, with the same filters.',
        examples: [DELIVERY],
      }),
    ),
  },
  strict,
)

const deliveryFields = {
  id: id(DELIVERY, 'Delivery id, sent as `X-Service-Delivery`.'),
  endpointId: id(ENDPOINT, 'The endpoint. It may be deleted by now.'),
  url: t.String({ description: 'Where the endpoint is now.', examples: [URL_EXAMPLE] }),
  event,
  isTest: t.Boolean({ description: 'Whether it is a sample.' }),
  ticketId: t.Optional(id('tkt_01jq8z5w8wf6r9f5v0h3q1x2yz', 'Absent for samples and customers.')),
  state: oneOf(
    DELIVERY_STATES,
    '`pending` until its next attempt, `held` while its endpoint is off, `in_flight` during an attempt. `failed` after the last retry, `cancelled` when the endpoint or the ticket was deleted.',
    'WebhookDeliveryState',
  ),
  attempts: t.Integer({ description: 'How many attempts it had.' }),
  lastStatus: t.Optional(t.Integer({ description: 'HTTP status of the last attempt, if there was one.' })),
  lastError: t.Optional(error),
  nextAttemptAt: t.Optional(time('When the next attempt is due. Only while it is pending.')),
  createdAt: time('When it was queued.'),
  finishedAt: t.Optional(time('When it succeeded, failed, or was cancelled.')),
}

const deliveryExample = {
  id: DELIVERY,
  endpointId: ENDPOINT,
  url: URL_EXAMPLE,
  event: 'ticket.created',
  isTest: false,
  ticketId: 'tkt_01jq8z5w8wf6r9f5v0h3q1x2yz',
  state: 'succeeded',
  attempts: 1,
  lastStatus: 200,
  createdAt: TIME,
  finishedAt: TIME,
}

export const delivery = t.Object(deliveryFields, {
  $id: 'WebhookDelivery',
  description: 'A line of the delivery log.',
  examples: [deliveryExample],
})

export const deliveryList = t.Object(
  {
    data: t.Array(delivery),
    meta: t.Object({
      nextCursor: t.Optional(
        t.String({
          description:
            'For the next page. Absent on the last one. A page can be short, or empty, and still have it.',
        }),
      ),
    }),
  },
  { $id: 'WebhookDeliveryList', description: 'Newest first.' },
)

export const replayId = t.Object({ id: id(JOB, 'Replay id.') })

export const replayRequest = t.Object(
  {
    after: t.Optional(
      t.String({
        maxLength: 64,
        description:
          'A position in the log of events: all events after it are sent. `0` for all that are kept. Not with `since`.',
        examples: ['0'],
      }),
    ),
    since: t.Optional(when('Events of this time or later are sent. At most 90 days ago. Not with `after`.')),
    until: t.Optional(when('Events up to this time are sent. Now by default.')),
    onlyMissing: t.Optional(
      t.Boolean({
        description:
          'Only events that the endpoint never received: none of their deliveries succeeded, and none is pending.',
        examples: [true],
      }),
    ),
  },
  { $id: 'NewReplay', ...strict, examples: [{ after: '0', onlyMissing: true }] },
)

export const replay = t.Object(
  {
    id: id(JOB, 'Replay id.'),
    endpointId: id(ENDPOINT, 'The endpoint.'),
    since: t.Optional(time('From when on. Absent if it began after a position.')),
    until: time('Up to when.'),
    onlyMissing: t.Boolean(),
    checked: t.Integer({ description: 'How many events of the log it has looked at.' }),
    total: t.Integer({ description: 'How many it looks at in all.' }),
    queued: t.Integer({ description: 'How many deliveries it has queued.' }),
    createdAt: time('When it was requested.'),
    finishedAt: t.Optional(time('When all deliveries were queued. Absent until then.')),
  },
  {
    $id: 'Replay',
    description: 'Events that are sent to an endpoint again.',
    examples: [
      {
        id: JOB,
        endpointId: ENDPOINT,
        since: TIME,
        until: TIME,
        onlyMissing: true,
        checked: 1_200,
        total: 1_200,
        queued: 3,
        createdAt: TIME,
        finishedAt: TIME,
      },
    ],
  },
)

const headers = t.Record(t.String(), t.String())
const attempt = t.Object(
  {
    number: t.Integer({ description: 'From 1.' }),
    kind: oneOf(ATTEMPT_KINDS, '`manual` if someone requested it.', 'AttemptKind'),
    url: t.String({ description: 'Where it was sent.' }),
    startedAt: time('When it began.'),
    durationMs: t.Optional(t.Integer({ description: 'Absent during the attempt.' })),
    succeeded: t.Optional(t.Boolean({ description: 'Absent during the attempt.' })),
    status: t.Optional(t.Integer({ description: 'HTTP status of the response.' })),
    error: t.Optional(error),
    detail: t.Optional(t.String({ description: 'What exactly happened.' })),
    requestHeaders: t.Optional(headers),
    responseHeaders: t.Optional(headers),
    responseBody: t.Optional(
      t.String({ description: 'Its first 16 KiB. Kept for 30 days, as the headers.' }),
    ),
    isResponseBodyCut: t.Boolean(),
  },
  { $id: 'WebhookAttempt' },
)

export const deliveryDetail = t.Object(
  {
    ...deliveryFields,
    body: t.Optional(
      t.String({
        description:
          'What is sent, exactly. Absent once it is no longer kept, and for a key that can’t read what it says: of `note.added`, without `notes:read`; of customers, without `customers:read`; of others, without `tickets:read`.',
      }),
    ),
    history: t.Array(attempt, { description: 'All attempts, oldest first.' }),
  },
  {
    $id: 'WebhookDeliveryDetail',
    base: delivery,
    examples: [
      {
        ...deliveryExample,
        body: '{"event":"ticket.created","createdAt":"2026-03-01T09:30:00.000Z","data":{}}',
        history: [
          {
            number: 1,
            kind: 'scheduled',
            url: URL_EXAMPLE,
            startedAt: TIME,
            durationMs: 84,
            succeeded: true,
            status: 200,
            isResponseBodyCut: false,
          },
        ],
      },
    ],
  },
)
