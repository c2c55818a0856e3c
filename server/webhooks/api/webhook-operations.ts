import { badBody, idempotency, idempotencyKey, problem, replayed } from '../../tickets/v1-document.ts'

/** What the API description says of each operation beyond its schemas. */

const tags = ['Webhooks']
const reading = { tags, security: [{ secretKey: ['endpoints:read'] }] }
const writing = { tags, security: [{ secretKey: ['endpoints:write'] }] }
const once = { ...writing, parameters: [idempotencyKey] }
const noEndpoint = problem('There’s no endpoint with this id in your organization.')
const noDelivery = problem('There’s no delivery with this id in your organization.')
const STILL_RUNNING = 'the first request with this Idempotency-Key is still running.'
const path = (description: string) => ({ description, schema: { type: 'string' as const } })
const repeated = { 'Idempotency-Replayed': replayed }

export const listEndpoints = {
  ...reading,
  operationId: 'listEndpoints',
  summary: 'List webhook endpoints',
  description: 'Returns all endpoints with their health, oldest first.',
  responses: { 200: { description: 'All endpoints.' } },
}

export const createEndpoint = {
  ...once,
  operationId: 'createEndpoint',
  summary: 'Create a webhook endpoint',
  description:
    'Sends events to a URL from now on. The answer has the signing secret, which you get only this once: store it to verify deliveries. An organization can have 50 endpoints.',
  responses: {
    201: {
      description: 'The endpoint, with its secret.',
      headers: { Location: path('The path of the new endpoint.'), ...repeated },
    },
    409: problem(`There are 50 endpoints already (\`too_many_endpoints\`); or ${STILL_RUNNING}`),
    422: idempotency[422],
    ...badBody,
  },
}

export const readEndpoint = {
  ...reading,
  operationId: 'readEndpoint',
  summary: 'Get a webhook endpoint',
  description: 'Returns an endpoint with its health.',
  responses: { 200: { description: 'The endpoint.' }, 404: noEndpoint },
}

export const updateEndpoint = {
  ...writing,
  operationId: 'updateEndpoint',
  summary: 'Update a webhook endpoint',
  description:
    'Changes the URL, events, filters or description. Fields you leave out don’t change; `[]` removes a filter. Events and filters hold for what happens from now on. Attempts in progress use the old URL, later ones the new one.',
  responses: { 200: { description: 'The updated endpoint.' }, 404: noEndpoint, ...badBody },
}

export const deleteEndpoint = {
  ...writing,
  operationId: 'deleteEndpoint',
  summary: 'Delete a webhook endpoint',
  description: 'Cancels its unfinished deliveries and deletes its secret. The delivery log stays.',
  responses: { 204: { description: 'It is deleted.' }, 404: noEndpoint },
}

export const enableEndpoint = {
  ...once,
  operationId: 'enableEndpoint',
  summary: 'Turn a webhook endpoint on',
  description: 'Sends its held deliveries, in the order of their events. Does nothing while it is on.',
  responses: {
    200: { description: 'The endpoint.', headers: repeated },
    404: noEndpoint,
    ...idempotency,
  },
}

export const disableEndpoint = {
  ...once,
  operationId: 'disableEndpoint',
  summary: 'Turn a webhook endpoint off',
  description: 'Holds its deliveries until you turn it on. Attempts in progress continue.',
  responses: {
    200: { description: 'The endpoint.', headers: repeated },
    404: noEndpoint,
    ...idempotency,
  },
}

export const rotateSecret = {
  ...once,
  operationId: 'rotateEndpointSecret',
  summary: 'Replace the signing secret',
  description:
    'Creates a secret, which you get only this once. It signs `X-Service-Signature` at once; for 24 hours, the previous one signs `webhook-signature` together with it.',
  responses: {
    201: { description: 'The endpoint, with its new secret.', headers: repeated },
    404: noEndpoint,
    409: problem(
      `The previous secret still signs (\`previous_secret_valid\`), and \`force\` wasn’t set; or ${STILL_RUNNING}`,
    ),
    422: idempotency[422],
  },
}

export const testEndpoint = {
  ...once,
  operationId: 'testEndpoint',
  summary: 'Send a test delivery',
  description:
    'Sends a sample of an event, signed like a real one and marked with `X-Service-Test: true`. Once, without retries, and to an endpoint that is off too.',
  responses: {
    202: {
      description: 'It is on its way.',
      headers: { Location: path('The path of the delivery, where its result will be.'), ...repeated },
    },
    404: noEndpoint,
    ...idempotency,
    ...badBody,
  },
}

export const listDeliveries = {
  ...reading,
  operationId: 'listDeliveries',
  summary: 'List deliveries',
  description:
    'Returns a page of the delivery log, newest first. You can combine filters. Finished deliveries are kept for 90 days.',
  responses: {
    200: { description: 'A page of deliveries.' },
    414: problem('The URL is longer than 8,192 characters.'),
  },
}

export const readDelivery = {
  ...reading,
  operationId: 'readDelivery',
  summary: 'Get a delivery',
  description: 'Returns a delivery with its body and every attempt.',
  responses: { 200: { description: 'The delivery.' }, 404: noDelivery },
}

export const resendDelivery = {
  ...once,
  operationId: 'resendDelivery',
  summary: 'Send a delivery again',
  description:
    'Sends it once more, now: the same id and body, signed with the current secret. If it still waits for a retry, that isn’t canceled.',
  responses: {
    202: { description: 'The delivery, on its way.', headers: repeated },
    404: noDelivery,
    409: problem(
      `It is being sent (\`delivery_in_flight\`); its endpoint is off or deleted (\`endpoint_off\`, \`endpoint_deleted\`); what it says was deleted (\`body_not_kept\`); or ${STILL_RUNNING}`,
    ),
    422: idempotency[422],
  },
}

export const replayEvents = {
  ...once,
  operationId: 'replayEvents',
  summary: 'Replay events',
  description:
    'Sends the events of a range to an endpoint, oldest first, each with a new delivery and a new delivery id: those it is subscribed to and that pass its filters. For an endpoint that is new, or has lost what it got; with `onlyMissing`, for one that missed some. A body that no endpoint got before shows the ticket as it is now, and events of what was deleted since are left out.',
  responses: {
    202: {
      description: 'The replay, which goes on in the background.',
      headers: { Location: path('The path of the replay, for its progress.'), ...repeated },
    },
    404: noEndpoint,
    409: problem(`The endpoint is off (\`endpoint_off\`); or ${STILL_RUNNING}`),
    410: problem('The position is of another log, or older than what is kept (`events_expired`).'),
    422: idempotency[422],
    ...badBody,
  },
}

export const readReplay = {
  ...reading,
  operationId: 'readReplay',
  summary: 'Get a replay',
  description: 'Returns the progress of a replay. Kept for 90 days.',
  responses: {
    200: { description: 'The replay.' },
    404: problem('There’s no replay with this id in your organization.'),
  },
}
