import { afterAll, describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import { createCustomer } from '../../server/customers/directory/edit-customer.ts'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { WEBHOOK_EVENTS } from '../../server/database/tables/events.ts'
import { recordEvents } from '../../server/events/events.ts'
import type { OpenApiDocument, Operation } from '../../server/http/openapi/document.ts'
import type { Schema } from '../../server/http/openapi/schemas.ts'
import { API_ERROR_CODES, FIELD_ERROR_CODES } from '../../server/responses/error-codes.ts'
import { type Answer, type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { everyRoute } from '../support/every-route.ts'
import { openApiFaults } from '../support/openapi-faults.ts'
import { makeAndReadTicket, makeTicket, NO_TICKET, readTicket, ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const MAX_FILE_BYTES = 25 * 2 ** 20
const NOT_DESCRIBED = ['GET /v1/openapi.json', 'OPTIONS /v1/*', 'ALL /v1/*']

// The contract's OpenAPI and /docs rows: the document of the real app, compared with its real responses.

const bellhop = await startBellhop({
  clock: createManualClock(),
  settings: { BELLHOP_RATE_LIMIT: '10000' },
})
afterAll(() => bellhop.stop())
const { json: document } = await call<OpenApiDocument>('GET', `${bellhop.url}/v1/openapi.json`)
const ajv = readSchemas(close)
const asItIs = readSchemas(() => {})
/** Some scopes are not part of full access. */
const client = await (await bellhop.organization()).withKey({ scopes: [...KEY_SCOPES], rateLimit: 10_000 })
const spent = await client.withKey({ rateLimit: 1 })
const reader = await client.withKey({ scopes: ['tickets:read'] })
const { id: doomed } = await makeTicket(client)
const bulk = { ids: [NO_TICKET], change: { status: 'open' } }
const nobody = { ...client, call: withoutKey }

const ticket = await makeTicket(client, { tags: ['vip'] })
const one = `/tickets/${ticket.id}`
const message = { text: 'Hello' }
const [sentId, waitingId, otherId] = Array.from({ length: 3 }, () => bellhop.deps.newId('msg'))
const later = { text: 'Later', sendAt: '2026-03-02T09:00:00.000Z' }
await client.call('PUT', `${one}/messages/${sentId}`, { body: message })
await client.call('PUT', `${one}/messages/${waitingId}`, { body: later })
const file = '/attachments?name=note.txt'
const upload = async () => (await client.call<{ id: string }>('POST', file, { raw: 'A file' })).json.id
const [uploaded, unwanted] = [await upload(), await upload()]
const keyed = { 'idempotency-key': 'k' }
await client.call('POST', '/tickets', { body: ticketInput(), headers: keyed })
await client.call('POST', `${one}/messages`, { body: message, headers: { 'idempotency-key': 'm' } })
await spent.call('GET', '/tickets')
const spentHook = await client.withKey({ rateLimit: 1, scopes: ['endpoints:write', 'erase', 'tickets:read'] })
await spentHook.call('GET', '/tickets')
const noTickets = { body: { tickets: [] } }
const importKey = { 'idempotency-key': 'import' }
await client.call('POST', '/imports', { ...noTickets, headers: importKey })
const spentImporter = await client.withKey({ rateLimit: 1, scopes: ['import:write', 'tickets:read'] })
await spentImporter.call('GET', '/tickets')
const spentEraser = await client.withKey({ rateLimit: 1, scopes: ['erase', 'tickets:read'] })
await spentEraser.call('GET', '/tickets')

const merge = async () => {
  const [into, from] = [await makeTicket(client), await makeTicket(client)]
  const path = `/tickets/${into.id}/merge`
  return (await client.call<{ id: string }>('POST', path, { body: { from: from.id } })).json.id
}
const [merged, other] = [`/moves/${await merge()}/undo`, await makeTicket(client)]
const newCustomer = () => createCustomer(bellhop.deps, client.orgId, { name: 'Ana' })
const customer = `/customers/${await newCustomer()}`
const customerMerge = `${customer}/merge`
const external = '/customers/external/user-1'
const newName = { body: { name: 'Ana Pires' } }
await client.call('PUT', external, newName)
const stale = { 'if-match': '"77"' }
const mergingCustomer = { body: { from: await newCustomer() } }
const merging = { body: { from: other.id } }
const splitting = { body: { messages: [sentId], subject: 'Another question' } }
const again = { headers: { 'idempotency-key': 'moved' } }
await client.call('POST', `/moves/${await merge()}/undo`, again)

const asked = await makeAndReadTicket(client)
const suggestions = `/tickets/${asked.id}/suggestions`
const suggesting = { body: { text: 'Yes', answers: asked.messages[0]?.id } }
const suggestAnswer = async ({ id, messages }: typeof asked) => {
  const body = { text: 'Yes', answers: messages[0]?.id }
  return (await client.call<{ id: string }>('POST', `/tickets/${id}/suggestions`, { body })).json.id
}
const otherAsked = await makeAndReadTicket(client)
const withdrawing = `/tickets/${otherAsked.id}/suggestions/${await suggestAnswer(otherAsked)}`

const newEndpoint = (path = 'in') => ({ url: `https://hooks.example/${path}`, events: ['ticket.created'] })
const madeEndpoint = async () =>
  (await client.call<{ id: string }>('POST', '/endpoints', { body: newEndpoint() })).json.id
const [hook, switched] = [`/endpoints/${await madeEndpoint()}`, `/endpoints/${await madeEndpoint()}`]
/** A test delivery that has failed: the host doesn't exist. */
const madeDelivery = async () => {
  const body = { event: 'ticket.created' }
  const sent = await client.call<{ deliveryId: string }>('POST', `${hook}/test`, { body })
  const id = sent.json.deliveryId
  await eventually(
    async () => (await client.call<{ state: string }>('GET', `/deliveries/${id}`)).json.state === 'failed',
  )
  return id
}
const [delivered, sampled] = [`/deliveries/${await madeDelivery()}`, { body: { event: 'message.sent' } }]
const madeReplay = async () =>
  (await client.call<{ id: string }>('POST', `${hook}/replay`, { body: { after: '0' } })).json.id
const hooked = { headers: { 'idempotency-key': 'hooked' } }
await client.call('POST', '/endpoints', { body: newEndpoint('first'), ...hooked })
const long = { raw: ' '.repeat(1_100_000) }
const asText = { raw: '{}', headers: { 'content-type': 'text/plain' } }

type Sent = [by: Client, method: string, path: string, more?: Parameters<Client['call']>[2]]

/** A request for each answer that is described, by operation. Those of our own faults are in errors.test.ts. */
const REQUESTS: Record<string, Record<string, Sent>> = {
  listTickets: {
    200: [client, 'GET', '/tickets?per_page=1'],
    400: [client, 'GET', '/tickets?page=0'],
    401: [nobody, 'GET', '/tickets'],
    403: [await client.withKey({ kind: 'public' }), 'GET', '/tickets'],
    414: [client, 'GET', `/tickets?tag=${'x'.repeat(9000)}`],
    429: [spent, 'GET', '/tickets'],
  },
  readTicket: {
    200: [client, 'GET', one],
    304: [client, 'GET', one, { headers: { 'if-none-match': '*' } }],
    400: [client, 'GET', `${one}?x=1`],
    401: [nobody, 'GET', one],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', one],
    404: [client, 'GET', `/tickets/${NO_TICKET}`],
    429: [spent, 'GET', one],
  },
  listSavedReplies: {
    200: [client, 'GET', '/saved-replies'],
    400: [client, 'GET', '/saved-replies?x=1'],
    401: [nobody, 'GET', '/saved-replies'],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', '/saved-replies'],
    429: [spent, 'GET', '/saved-replies'],
  },
  listMessages: {
    200: [client, 'GET', `${one}/messages?per_page=1`],
    400: [client, 'GET', `${one}/messages?page=0`],
    401: [nobody, 'GET', `${one}/messages`],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', `${one}/messages`],
    404: [client, 'GET', `/tickets/${NO_TICKET}/messages`],
    414: [client, 'GET', `${one}/messages?cursor=${'x'.repeat(9000)}`],
    429: [spent, 'GET', `${one}/messages`],
  },
  listEvents: {
    200: [client, 'GET', '/events?include=ticket,message,body'],
    400: [client, 'GET', '/events?limit=0'],
    401: [nobody, 'GET', '/events'],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', '/events'],
    404: [client, 'GET', `/events?ticket=${NO_TICKET}`],
    410: [client, 'GET', '/events?after=a.1'],
    414: [client, 'GET', `/events?types=${'x'.repeat(9000)}`],
    429: [spent, 'GET', '/events'],
  },
  listAllMessages: {
    200: [client, 'GET', '/messages?per_page=1'],
    400: [client, 'GET', '/messages?page=1'],
    401: [nobody, 'GET', '/messages'],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', '/messages'],
    414: [client, 'GET', `/messages?cursor=${'x'.repeat(9000)}`],
    429: [spent, 'GET', '/messages'],
  },
  searchTickets: {
    200: [client, 'GET', '/search?q=invoice'],
    400: [client, 'GET', '/search?q=status:new'],
    401: [nobody, 'GET', '/search?q=invoice'],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', '/search?q=invoice'],
    414: [client, 'GET', `/search?q=${'x'.repeat(9000)}`],
    429: [spent, 'GET', '/search?q=invoice'],
  },
  listAgents: {
    200: [client, 'GET', '/agents'],
    400: [client, 'GET', '/agents?x=1'],
    401: [nobody, 'GET', '/agents'],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', '/agents'],
    429: [spent, 'GET', '/agents'],
  },
  listActivity: {
    200: [client, 'GET', `${one}/activity?per_page=1`],
    400: [client, 'GET', `${one}/activity?page=1`],
    401: [nobody, 'GET', `${one}/activity`],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', `${one}/activity`],
    404: [client, 'GET', `/tickets/${NO_TICKET}/activity`],
    414: [client, 'GET', `${one}/activity?cursor=${'x'.repeat(9000)}`],
    429: [spent, 'GET', `${one}/activity`],
  },
  listNotes: {
    200: [client, 'GET', `${one}/notes?per_page=1`],
    400: [client, 'GET', `${one}/notes?page=1`],
    401: [nobody, 'GET', `${one}/notes`],
    403: [reader, 'GET', `${one}/notes`],
    404: [client, 'GET', `/tickets/${NO_TICKET}/notes`],
    414: [client, 'GET', `${one}/notes?cursor=${'x'.repeat(9000)}`],
    429: [spent, 'GET', `${one}/notes`],
  },
  listSuggestions: {
    200: [client, 'GET', `${suggestions}?per_page=1`],
    400: [client, 'GET', `${suggestions}?page=1`],
    401: [nobody, 'GET', suggestions],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', suggestions],
    404: [client, 'GET', `/tickets/${NO_TICKET}/suggestions`],
    414: [client, 'GET', `${suggestions}?cursor=${'x'.repeat(9000)}`],
    429: [spent, 'GET', suggestions],
  },
  addSuggestion: {
    201: [client, 'POST', suggestions, suggesting],
    400: [client, 'POST', suggestions, { body: {} }],
    401: [nobody, 'POST', suggestions, suggesting],
    403: [reader, 'POST', suggestions, suggesting],
    404: [client, 'POST', `/tickets/${NO_TICKET}/suggestions`, suggesting],
    413: [client, 'POST', suggestions, long],
    415: [client, 'POST', suggestions, asText],
    422: [client, 'POST', suggestions, { ...suggesting, headers: { 'idempotency-key': 'm' } }],
    429: [spent, 'POST', suggestions, suggesting],
  },
  withdrawSuggestion: {
    204: [client, 'DELETE', withdrawing],
    400: [client, 'DELETE', `${withdrawing}?x=1`],
    401: [nobody, 'DELETE', withdrawing],
    403: [reader, 'DELETE', withdrawing],
    404: [client, 'DELETE', `${suggestions}/sug_1`],
    429: [spent, 'DELETE', withdrawing],
  },
  addNote: {
    201: [client, 'POST', `${one}/notes`, { body: message }],
    400: [client, 'POST', `${one}/notes`, { body: {} }],
    401: [nobody, 'POST', `${one}/notes`, { body: message }],
    403: [reader, 'POST', `${one}/notes`, { body: message }],
    404: [client, 'POST', `/tickets/${NO_TICKET}/notes`, { body: message }],
    413: [client, 'POST', `${one}/notes`, { raw: ' '.repeat(1_100_000) }],
    415: [client, 'POST', `${one}/notes`, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    422: [client, 'POST', `${one}/notes`, { body: { text: 'Other' }, headers: { 'idempotency-key': 'm' } }],
    429: [spent, 'POST', `${one}/notes`, { body: message }],
  },
  readMe: {
    200: [client, 'GET', '/me'],
    400: [client, 'GET', '/me?x=1'],
    401: [nobody, 'GET', '/me'],
    403: [await client.withKey({ kind: 'public' }), 'GET', '/me'],
    429: [spent, 'GET', '/me'],
  },
  listTags: {
    200: [client, 'GET', '/tags'],
    400: [client, 'GET', '/tags?x=1'],
    401: [nobody, 'GET', '/tags'],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', '/tags'],
    429: [spent, 'GET', '/tags'],
  },
  createTicket: {
    201: [client, 'POST', '/tickets', { body: ticketInput({ tags: ['a'] }) }],
    400: [client, 'POST', '/tickets', { body: {} }],
    401: [nobody, 'POST', '/tickets', { body: {} }],
    403: [reader, 'POST', '/tickets', { body: {} }],
    413: [client, 'POST', '/tickets', { raw: ' '.repeat(1_100_000) }],
    415: [client, 'POST', '/tickets', { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    422: [client, 'POST', '/tickets', { body: ticketInput({ subject: 'Other' }), headers: keyed }],
    429: [spent, 'POST', '/tickets', { body: {} }],
  },
  updateTicket: {
    200: [client, 'PATCH', one, { body: { status: 'pending', assignedTo: '', tags: [] } }],
    400: [client, 'PATCH', one, { body: { status: 'new' } }],
    401: [nobody, 'PATCH', one, { body: {} }],
    403: [reader, 'PATCH', one, { body: {} }],
    404: [client, 'PATCH', `/tickets/${NO_TICKET}`, { body: {} }],
    412: [client, 'PATCH', one, { body: {}, headers: { 'if-match': '"old"' } }],
    413: [client, 'PATCH', one, { raw: ' '.repeat(1_100_000) }],
    415: [client, 'PATCH', one, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    429: [spent, 'PATCH', one, { body: {} }],
  },
  postMessage: {
    201: [client, 'POST', `${one}/messages`, { body: message }],
    400: [client, 'POST', `${one}/messages`, { body: {} }],
    401: [nobody, 'POST', `${one}/messages`, { body: message }],
    403: [reader, 'POST', `${one}/messages`, { body: message }],
    404: [client, 'POST', `/tickets/${NO_TICKET}/messages`, { body: message }],
    413: [client, 'POST', `${one}/messages`, { raw: ' '.repeat(1_100_000) }],
    415: [client, 'POST', `${one}/messages`, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    422: [
      client,
      'POST',
      `${one}/messages`,
      { body: { text: 'Other' }, headers: { 'idempotency-key': 'm' } },
    ],
    429: [spent, 'POST', `${one}/messages`, { body: message }],
  },
  mergeTicket: {
    200: [client, 'POST', `${one}/merge`, merging],
    400: [client, 'POST', `${one}/merge`, { body: { from: ticket.id } }],
    401: [nobody, 'POST', `${one}/merge`, merging],
    403: [reader, 'POST', `${one}/merge`, merging],
    404: [client, 'POST', `${one}/merge`, { body: { from: NO_TICKET } }],
    413: [client, 'POST', `${one}/merge`, { raw: ' '.repeat(1_100_000) }],
    415: [client, 'POST', `${one}/merge`, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    422: [client, 'POST', `${one}/merge`, { ...merging, ...again }],
    429: [spent, 'POST', `${one}/merge`, merging],
  },
  mergeCustomer: {
    200: [client, 'POST', customerMerge, mergingCustomer],
    400: [client, 'POST', customerMerge, { body: {} }],
    401: [nobody, 'POST', customerMerge, mergingCustomer],
    403: [reader, 'POST', customerMerge, mergingCustomer],
    404: [client, 'POST', customerMerge, { body: { from: 'usr_1' } }],
    413: [client, 'POST', customerMerge, { raw: ' '.repeat(1_100_000) }],
    415: [client, 'POST', customerMerge, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    422: [client, 'POST', customerMerge, { ...mergingCustomer, ...again }],
    429: [spent, 'POST', customerMerge, mergingCustomer],
  },
  splitTicket: {
    201: [client, 'POST', `${one}/split`, splitting],
    400: [client, 'POST', `${one}/split`, { body: { messages: [], subject: 'x' } }],
    401: [nobody, 'POST', `${one}/split`, splitting],
    403: [reader, 'POST', `${one}/split`, splitting],
    404: [client, 'POST', `/tickets/${NO_TICKET}/split`, splitting],
    413: [client, 'POST', `${one}/split`, { raw: ' '.repeat(1_100_000) }],
    415: [client, 'POST', `${one}/split`, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    422: [client, 'POST', `${one}/split`, { ...splitting, ...again }],
    429: [spent, 'POST', `${one}/split`, splitting],
  },
  listEndpoints: {
    200: [client, 'GET', '/endpoints'],
    400: [client, 'GET', '/endpoints?x=1'],
    401: [nobody, 'GET', '/endpoints'],
    403: [reader, 'GET', '/endpoints'],
    429: [spent, 'GET', '/endpoints'],
  },
  createEndpoint: {
    201: [client, 'POST', '/endpoints', { body: newEndpoint() }],
    400: [client, 'POST', '/endpoints', { body: { ...newEndpoint(), url: 'http://hooks.example' } }],
    401: [nobody, 'POST', '/endpoints', { body: newEndpoint() }],
    403: [reader, 'POST', '/endpoints', { body: newEndpoint() }],
    413: [client, 'POST', '/endpoints', long],
    415: [client, 'POST', '/endpoints', asText],
    422: [client, 'POST', '/endpoints', { body: newEndpoint(), ...hooked }],
    429: [spentHook, 'POST', '/endpoints', { body: newEndpoint() }],
  },
  readEndpoint: {
    200: [client, 'GET', hook],
    400: [client, 'GET', `${hook}?x=1`],
    401: [nobody, 'GET', hook],
    403: [reader, 'GET', hook],
    404: [client, 'GET', '/endpoints/whe_1'],
    429: [spent, 'GET', hook],
  },
  updateEndpoint: {
    200: [client, 'PATCH', hook, { body: { channels: ['email'], tags: ['vip'], changes: ['status'] } }],
    400: [client, 'PATCH', hook, { body: { changes: ['color'] } }],
    401: [nobody, 'PATCH', hook, { body: {} }],
    403: [reader, 'PATCH', hook, { body: {} }],
    404: [client, 'PATCH', '/endpoints/whe_1', { body: {} }],
    413: [client, 'PATCH', hook, long],
    415: [client, 'PATCH', hook, asText],
    429: [spentHook, 'PATCH', hook, { body: {} }],
  },
  deleteEndpoint: {
    204: [client, 'DELETE', `/endpoints/${await madeEndpoint()}`],
    400: [client, 'DELETE', `${hook}?x=1`],
    401: [nobody, 'DELETE', hook],
    403: [reader, 'DELETE', hook],
    404: [client, 'DELETE', '/endpoints/whe_1'],
    429: [spentHook, 'DELETE', hook],
  },
  ...Object.fromEntries(
    ['enable', 'disable'].map((verb) => [
      `${verb}Endpoint`,
      {
        200: [client, 'POST', `${switched}/${verb}`],
        400: [client, 'POST', `${switched}/${verb}?x=1`],
        401: [nobody, 'POST', `${switched}/${verb}`],
        403: [reader, 'POST', `${switched}/${verb}`],
        404: [client, 'POST', `/endpoints/whe_1/${verb}`],
        422: [client, 'POST', `${switched}/${verb}`, hooked],
        429: [spentHook, 'POST', `${switched}/${verb}`],
      } satisfies Record<string, Sent>,
    ]),
  ),
  rotateEndpointSecret: {
    201: [client, 'POST', `${hook}/rotate`],
    400: [client, 'POST', `${hook}/rotate?force=yes`],
    401: [nobody, 'POST', `${hook}/rotate`],
    403: [reader, 'POST', `${hook}/rotate`],
    404: [client, 'POST', '/endpoints/whe_1/rotate'],
    422: [client, 'POST', `${hook}/rotate`, hooked],
    429: [spentHook, 'POST', `${hook}/rotate`],
  },
  testEndpoint: {
    202: [client, 'POST', `${hook}/test`, sampled],
    400: [client, 'POST', `${hook}/test`, { body: {} }],
    401: [nobody, 'POST', `${hook}/test`, sampled],
    403: [reader, 'POST', `${hook}/test`, sampled],
    404: [client, 'POST', '/endpoints/whe_1/test', sampled],
    413: [client, 'POST', `${hook}/test`, long],
    415: [client, 'POST', `${hook}/test`, asText],
    422: [client, 'POST', `${hook}/test`, { ...sampled, ...hooked }],
    429: [spentHook, 'POST', `${hook}/test`, sampled],
  },
  listDeliveries: {
    200: [client, 'GET', '/deliveries?limit=1'],
    400: [client, 'GET', '/deliveries?state=late'],
    401: [nobody, 'GET', '/deliveries'],
    403: [reader, 'GET', '/deliveries'],
    414: [client, 'GET', `/deliveries?cursor=${'x'.repeat(9000)}`],
    429: [spent, 'GET', '/deliveries'],
  },
  replayEvents: {
    202: [client, 'POST', `${hook}/replay`, { body: { after: '0' } }],
    400: [client, 'POST', `${hook}/replay`, { body: {} }],
    401: [nobody, 'POST', `${hook}/replay`, { body: { after: '0' } }],
    403: [reader, 'POST', `${hook}/replay`, { body: { after: '0' } }],
    404: [client, 'POST', '/endpoints/whe_1/replay', { body: { after: '0' } }],
    410: [client, 'POST', `${hook}/replay`, { body: { after: '00ff.1' } }],
    413: [client, 'POST', `${hook}/replay`, long],
    415: [client, 'POST', `${hook}/replay`, asText],
    422: [client, 'POST', `${hook}/replay`, { body: { after: '0' }, ...hooked }],
    429: [spentHook, 'POST', `${hook}/replay`, { body: { after: '0' } }],
  },
  readReplay: {
    200: [client, 'GET', `/replays/${await madeReplay()}`],
    400: [client, 'GET', '/replays/job_1?x=1'],
    401: [nobody, 'GET', '/replays/job_1'],
    403: [reader, 'GET', '/replays/job_1'],
    404: [client, 'GET', '/replays/job_1'],
    429: [spent, 'GET', '/replays/job_1'],
  },
  readDelivery: {
    200: [client, 'GET', delivered],
    400: [client, 'GET', `${delivered}?x=1`],
    401: [nobody, 'GET', delivered],
    403: [reader, 'GET', delivered],
    404: [client, 'GET', '/deliveries/dlv_1'],
    429: [spent, 'GET', delivered],
  },
  resendDelivery: {
    202: [client, 'POST', `/deliveries/${await madeDelivery()}/resend`],
    400: [client, 'POST', `${delivered}/resend?x=1`],
    401: [nobody, 'POST', `${delivered}/resend`],
    403: [reader, 'POST', `${delivered}/resend`],
    404: [client, 'POST', '/deliveries/dlv_1/resend'],
    422: [client, 'POST', `${delivered}/resend`, hooked],
    429: [spentHook, 'POST', `${delivered}/resend`],
  },
  undoMove: {
    200: [client, 'POST', merged],
    400: [client, 'POST', `${merged}?x=1`],
    401: [nobody, 'POST', merged],
    403: [reader, 'POST', merged],
    404: [client, 'POST', '/moves/mov_1/undo'],
    422: [client, 'POST', merged, again],
    429: [spent, 'POST', merged],
  },
  putMessage: {
    200: [client, 'PUT', `${one}/messages/${waitingId}`, { body: later }],
    201: [client, 'PUT', `${one}/messages/${otherId}`, { body: { ...later, status: 'open' } }],
    400: [client, 'PUT', `${one}/messages/msg_1`, { body: message }],
    401: [nobody, 'PUT', `${one}/messages/${otherId}`, { body: message }],
    403: [reader, 'PUT', `${one}/messages/${otherId}`, { body: message }],
    404: [client, 'PUT', `/tickets/${NO_TICKET}/messages/${otherId}`, { body: message }],
    413: [client, 'PUT', `${one}/messages/${otherId}`, { raw: ' '.repeat(1_100_000) }],
    415: [
      client,
      'PUT',
      `${one}/messages/${otherId}`,
      { raw: '{}', headers: { 'content-type': 'text/plain' } },
    ],
    429: [spent, 'PUT', `${one}/messages/${otherId}`, { body: message }],
  },
  readMessage: {
    200: [client, 'GET', `${one}/messages/${sentId}`],
    400: [client, 'GET', `${one}/messages/${sentId}?x=1`],
    401: [nobody, 'GET', `${one}/messages/${sentId}`],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', `${one}/messages/${sentId}`],
    404: [client, 'GET', `${one}/messages/msg_1`],
    429: [spent, 'GET', `${one}/messages/${sentId}`],
  },
  deleteMessage: {
    204: [client, 'DELETE', `${one}/messages/${waitingId}`],
    400: [client, 'DELETE', `${one}/messages/${waitingId}?x=1`],
    401: [nobody, 'DELETE', `${one}/messages/${waitingId}`],
    403: [reader, 'DELETE', `${one}/messages/${waitingId}`],
    404: [client, 'DELETE', `${one}/messages/msg_1`],
    429: [spent, 'DELETE', `${one}/messages/${waitingId}`],
  },
  importTickets: {
    200: [client, 'POST', '/imports', noTickets],
    400: [client, 'POST', '/imports', { body: {} }],
    401: [nobody, 'POST', '/imports', noTickets],
    403: [reader, 'POST', '/imports', noTickets],
    413: [client, 'POST', '/imports', { raw: ' '.repeat(2 ** 23 + 1) }],
    415: [client, 'POST', '/imports', { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    422: [client, 'POST', '/imports', { body: { tickets: [{}] }, headers: importKey }],
    429: [spentImporter, 'POST', '/imports', noTickets],
  },
  listCustomers: {
    200: [client, 'GET', '/customers?per_page=1'],
    400: [client, 'GET', '/customers?per_page=0'],
    401: [nobody, 'GET', '/customers'],
    403: [reader, 'GET', '/customers'],
    414: [client, 'GET', `/customers?q=${'x'.repeat(9000)}`],
    429: [spent, 'GET', '/customers'],
  },
  readCustomer: {
    200: [client, 'GET', customer],
    304: [client, 'GET', customer, { headers: { 'if-none-match': '*' } }],
    400: [client, 'GET', `${customer}?x=1`],
    401: [nobody, 'GET', customer],
    403: [reader, 'GET', customer],
    404: [client, 'GET', '/customers/usr_1'],
    429: [spent, 'GET', customer],
  },
  updateCustomer: {
    200: [client, 'PATCH', customer, newName],
    400: [client, 'PATCH', customer, { body: { name: '' } }],
    401: [nobody, 'PATCH', customer, newName],
    403: [reader, 'PATCH', customer, newName],
    404: [client, 'PATCH', '/customers/usr_1', newName],
    412: [client, 'PATCH', customer, { ...newName, headers: stale }],
    413: [client, 'PATCH', customer, { raw: 'x'.repeat(2 ** 21) }],
    415: [client, 'PATCH', customer, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    429: [spent, 'PATCH', customer, newName],
  },
  putCustomer: {
    200: [client, 'PUT', external, newName],
    201: [client, 'PUT', '/customers/external/user-2', newName],
    400: [client, 'PUT', external, { body: { name: '' } }],
    401: [nobody, 'PUT', external, newName],
    403: [reader, 'PUT', external, newName],
    413: [client, 'PUT', external, { raw: 'x'.repeat(2 ** 21) }],
    415: [client, 'PUT', external, { raw: '{}', headers: { 'content-type': 'text/plain' } }],
    429: [spent, 'PUT', external, newName],
  },
  deleteCustomer: {
    204: [client, 'DELETE', `/customers/${await newCustomer()}`],
    400: [client, 'DELETE', `${customer}?x=1`],
    401: [nobody, 'DELETE', customer],
    403: [reader, 'DELETE', customer],
    404: [client, 'DELETE', '/customers/usr_1'],
    412: [client, 'DELETE', customer, { headers: stale }],
    429: [spentEraser, 'DELETE', customer],
  },
  uploadAttachment: {
    201: [client, 'POST', file, { raw: 'A file' }],
    400: [client, 'POST', file, { raw: '' }],
    401: [nobody, 'POST', file, { raw: 'A file' }],
    403: [reader, 'POST', file, { raw: 'A file' }],
    413: [client, 'POST', file, { raw: 'x'.repeat(MAX_FILE_BYTES + 1) }],
    415: [client, 'POST', file, { raw: 'A file', headers: { 'content-encoding': 'gzip' } }],
    422: [client, 'POST', file, { raw: 'A file', headers: keyed }],
    429: [spent, 'POST', file, { raw: 'A file' }],
  },
  downloadAttachment: {
    200: [client, 'GET', `/attachments/${uploaded}`],
    206: [client, 'GET', `/attachments/${uploaded}`, { headers: { range: 'bytes=0-1' } }],
    304: [client, 'GET', `/attachments/${uploaded}`, { headers: { 'if-none-match': '*' } }],
    400: [client, 'GET', `/attachments/${uploaded}?x=1`],
    401: [nobody, 'GET', `/attachments/${uploaded}`],
    403: [await client.withKey({ scopes: ['messages:write'] }), 'GET', `/attachments/${uploaded}`],
    404: [client, 'GET', '/attachments/att_1'],
    416: [client, 'GET', `/attachments/${uploaded}`, { headers: { range: 'bytes=6-' } }],
    429: [spent, 'GET', `/attachments/${uploaded}`],
  },
  changeTickets: {
    200: [client, 'POST', '/tickets/bulk', { body: bulk }],
    400: [client, 'POST', '/tickets/bulk', { body: {} }],
    401: [nobody, 'POST', '/tickets/bulk', { body: bulk }],
    403: [reader, 'POST', '/tickets/bulk', { body: bulk }],
    413: [client, 'POST', '/tickets/bulk', { raw: ' '.repeat(1_100_000) }],
    415: [client, 'POST', '/tickets/bulk', { raw: '', headers: { 'content-type': 'text/plain' } }],
    422: [client, 'POST', '/tickets/bulk', { body: bulk, headers: keyed }],
    429: [spent, 'POST', '/tickets/bulk', { body: bulk }],
  },
  deleteTicket: {
    204: [client, 'DELETE', `/tickets/${doomed}`],
    400: [client, 'DELETE', `${one}?x=1`],
    401: [nobody, 'DELETE', one],
    403: [reader, 'DELETE', one],
    404: [client, 'DELETE', `/tickets/${NO_TICKET}`],
    429: [spentHook, 'DELETE', one],
  },
  deleteAttachment: {
    204: [client, 'DELETE', `/attachments/${unwanted}`],
    400: [client, 'DELETE', `/attachments/${uploaded}?x=1`],
    401: [nobody, 'DELETE', `/attachments/${uploaded}`],
    403: [reader, 'DELETE', `/attachments/${uploaded}`],
    404: [client, 'DELETE', '/attachments/att_1'],
    429: [spent, 'DELETE', `/attachments/${uploaded}`],
  },
}

/**
 * 408 and 421 are in slow-requests.test.ts and host.test.ts; 409 is in idempotency.test.ts, put-message.test.ts and
 * attachments-send.test.ts; 500, 503 and 507 are faults of ours (errors.test.ts, attachments-disk.test.ts).
 */
const ELSEWHERE = ['408', '409', '421', '500', '503', '507']

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

describe('the document of the real app', () => {
  test('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toBe('3.1.1')
    expect(await openApiFaults(document)).toEqual([])
  })

  test('describes every route below /v1, and no other', async () => {
    const routes = (await everyRoute(bellhop.deps))
      .map((route) => route.replaceAll(/:(\w+)/g, '{$1}'))
      .filter((route) => route.includes(' /v1/') && !NOT_DESCRIBED.includes(route))
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} /v1${path}`)
    expect(described.sort()).toEqual(routes.sort())
    expect(described.sort()).toEqual(
      [
        'GET /v1/tickets',
        'GET /v1/tickets/{id}',
        'DELETE /v1/tickets/{id}',
        'POST /v1/tickets/bulk',
        'PATCH /v1/tickets/{id}',
        'POST /v1/tickets',
        'POST /v1/tickets/{id}/messages',
        'PUT /v1/tickets/{id}/messages/{messageId}',
        'GET /v1/tickets/{id}/messages/{messageId}',
        'DELETE /v1/tickets/{id}/messages/{messageId}',
        'POST /v1/attachments',
        'GET /v1/tickets/{id}/messages',
        'GET /v1/attachments/{id}',
        'GET /v1/saved-replies',
        'GET /v1/messages',
        'GET /v1/search',
        'GET /v1/agents',
        'GET /v1/tags',
        'GET /v1/me',
        'GET /v1/events',
        'GET /v1/tickets/{id}/activity',
        'GET /v1/tickets/{id}/notes',
        'POST /v1/tickets/{id}/notes',
        'GET /v1/tickets/{id}/suggestions',
        'POST /v1/tickets/{id}/suggestions',
        'DELETE /v1/tickets/{id}/suggestions/{suggestionId}',
        'DELETE /v1/attachments/{id}',
        'POST /v1/tickets/{id}/merge',
        'POST /v1/customers/{id}/merge',
        'POST /v1/imports',
        'GET /v1/customers',
        'GET /v1/customers/{id}',
        'PATCH /v1/customers/{id}',
        'DELETE /v1/customers/{id}',
        'PUT /v1/customers/external/{externalId}',
        'POST /v1/tickets/{id}/split',
        'POST /v1/moves/{id}/undo',
        'GET /v1/endpoints',
        'POST /v1/endpoints',
        'GET /v1/endpoints/{id}',
        'PATCH /v1/endpoints/{id}',
        'DELETE /v1/endpoints/{id}',
        'POST /v1/endpoints/{id}/enable',
        'POST /v1/endpoints/{id}/disable',
        'POST /v1/endpoints/{id}/rotate',
        'POST /v1/endpoints/{id}/test',
        'POST /v1/endpoints/{id}/replay',
        'GET /v1/replays/{id}',
        'GET /v1/deliveries',
        'GET /v1/deliveries/{id}',
        'POST /v1/deliveries/{id}/resend',
      ].sort(),
    )
  })

  test('lists the codes of errors', () => {
    const { ErrorCode, FieldErrorCode } = document.components.schemas
    expect(ErrorCode?.enum).toEqual([...API_ERROR_CODES])
    expect(FieldErrorCode?.enum).toEqual([...FIELD_ERROR_CODES])
  })

  test('lists exactly the answers that the operations give', () => {
    for (const { operation } of operations) {
      const described = Object.keys(operation.responses).filter((status) => !ELSEWHERE.includes(status))
      expect([operation.operationId, described]).toEqual([
        operation.operationId,
        Object.keys(REQUESTS[operation.operationId] ?? {}),
      ])
    }
  })
})

describe('real answers keep to the document, without a field too many:', () => {
  for (const { path, method, operation } of operations) {
    for (const [status, [by, sentMethod, sentPath, more]] of Object.entries(
      REQUESTS[operation.operationId] ?? {},
    )) {
      test(`${operation.operationId} ${status}`, async () => {
        const answer = await by.call(sentMethod, sentPath, more)
        expect(answer.status, answer.text).toBe(Number(status))
        const pointer = `#/paths/${escaped(path)}/${method}/responses/${status}`
        expectDescribed(answer, operation.responses[status]?.$ref ?? pointer)
      })
    }
  }
})

test('the document of a server is the same before and after its routes have answered', async () => {
  // Schemas are of the process: the routes of the first server have answered.
  const other = await startBellhop()
  const { json } = await call<typeof document>('GET', `${other.url}/v1/openapi.json`)
  await other.stop()
  expect({ ...json, servers: [] }).toEqual({ ...document, servers: [] })
})

describe('the examples can be sent as they are, by clients that import the document:', () => {
  const sent = operations.filter(({ operation }) => operation.operationId !== 'uploadAttachment')

  test.each(sent)('$operation.operationId to what it names', async ({ path, method, operation }) => {
    const id = await ownId(path)
    const suggestionId = path.endsWith('{suggestionId}')
      ? await suggestAnswer(await readTicket(client, id))
      : ''
    const fresh = { id, suggestionId, messageId: bellhop.deps.newId('msg') }
    if (path.endsWith('{messageId}') && method !== 'put') {
      await client.call('PUT', filled('/tickets/{id}/messages/{messageId}', fresh), { body: later })
    }
    const [to, more] = exampleOf(path, operation, fresh)
    const body = await withOwnIds(operation.operationId, fresh.id)
    const answer = await client.call(method.toUpperCase(), to, { ...more, ...body })
    expect(answer.status, answer.text).toBeWithin(200, 300)
    expect(Object.keys(operation.responses)).toContain(String(answer.status))
  })

  test.each(sent)('$operation.operationId to ids of nothing', async ({ path, method, operation }) => {
    const answer = await client.call(method.toUpperCase(), ...exampleOf(path, operation, {}))
    expect(Object.keys(operation.responses)).toContain(String(answer.status))
    // An id of another system is made by the call.
    if (path.includes('{') && !path.includes('{externalId}')) expect(answer.status).toBe(404)
  })

  test('every field of a body and every parameter in an example is described', () => {
    for (const { path, operation } of operations) {
      for (const { name, in: place, schema, example } of operation.parameters ?? []) {
        expect([path, name, exampleIn(schema, example) !== undefined]).toEqual([path, name, true])
        if (place !== 'path') expect(validatorOf(schema)(exampleIn(schema, example))).toBe(true)
      }
      const body = operation.requestBody?.content['application/json']
      if (body) expect([path, validatorOf(body.schema)(body.example)]).toEqual([path, true])
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const example of Array.isArray(schema.examples) ? schema.examples : []) {
        const check = validator(`#/components/schemas/${name}`)
        expect(check(example), `${JSON.stringify(example)} ${JSON.stringify(check.errors)}`).toBe(true)
      }
    }
  })

  /** Of a ticket or of an upload, as the path needs one. */
  async function ownId(path: string): Promise<string> {
    if (path.startsWith('/moves')) return merge()
    if (path.startsWith('/customers')) return newCustomer()
    if (path.startsWith('/endpoints')) return madeEndpoint()
    if (path.startsWith('/deliveries')) return madeDelivery()
    if (path.startsWith('/replays')) return madeReplay()
    return path.startsWith('/attachments') ? await upload() : (await makeTicket(client)).id
  }

  /** An example names a ticket and messages that are there. */
  async function withOwnIds(operationId: string, id: string): Promise<{ body?: object }> {
    if (operationId === 'mergeTicket') return { body: { from: (await makeTicket(client)).id } }
    if (operationId === 'mergeCustomer') return { body: { from: await newCustomer() } }
    if (operationId === 'addSuggestion') {
      return { body: { ...suggesting.body, answers: (await readTicket(client, id)).messages[0]?.id } }
    }
    if (operationId !== 'splitTicket') return {}
    const sent = await client.call<{ id: string }>('POST', `/tickets/${id}/messages`, { body: message })
    return { body: { messages: [sent.json.id], subject: 'Another question' } }
  }

  /** All parameters at once: importers turn on the optional ones too. */
  function exampleOf(path: string, operation: Operation, ids: Record<string, string>) {
    const given = (operation.parameters ?? []).map(({ name, in: place, schema, example }) => ({
      name,
      place,
      value: String(exampleIn(schema, example)),
    }))
    const those = (wanted: string) =>
      Object.fromEntries(given.flatMap(({ name, place, value }) => (place === wanted ? [[name, value]] : [])))
    const query = new URLSearchParams(those('query'))
    if (query.has('ticket')) query.set('ticket', ids.id ?? '')
    const body = operation.requestBody?.content['application/json']?.example
    return [
      `${filled(path, { ...those('path'), ...ids })}${query.size > 0 ? `?${query}` : ''}`,
      { headers: asPostman(those('header')), ...(body !== undefined && { body }) },
    ] as const
  }

  /** Postman replaces `{{$guid}}` with a new UUID in every request. */
  function asPostman(headers: Record<string, string>): Record<string, string> {
    return JSON.parse(JSON.stringify(headers).replaceAll('{{$guid}}', () => crypto.randomUUID()))
  }

  function filled(path: string, ids: Record<string, string>): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? '')
  }

  function exampleIn(schema: Schema, example?: unknown): unknown {
    const named = document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
    const [first] = Array.isArray(named.examples) ? named.examples : []
    return example ?? first ?? named.enum?.[0] ?? named.default
  }
})

describe('the request schemas say what is accepted', () => {
  const accepts = (operationId: string) => {
    const found = operations.find(({ operation }) => operation.operationId === operationId)
    const place = `#/paths/${escaped(found?.path ?? '')}/${found?.method}/requestBody/content/application~1json/schema`
    return validator(place)
  }

  test.each<[string, string, unknown]>([
    ['createTicket', '/tickets', ticketInput()],
    ['createTicket', '/tickets', ticketInput({ channel: 'api', tags: [] })],
    ['createTicket', '/tickets', ticketInput({ channel: 'email' })],
    ['createTicket', '/tickets', ticketInput({ subject: ' ' })],
    ['createTicket', '/tickets', ticketInput({ subject: 's'.repeat(256) })],
    ['createTicket', '/tickets', ticketInput({ customer: {} })],
    ['createTicket', '/tickets', ticketInput({ customer: { email: 'nobody' } })],
    ['createTicket', '/tickets', ticketInput({ extra: 1 })],
    ['createTicket', '/tickets', { subject: 'x' }],
    ['updateTicket', one, {}],
    ['updateTicket', one, { status: 'open', assignedTo: null, tags: ['a'] }],
    ['updateTicket', one, { status: 'closed' }],
    ['updateTicket', one, { tags: [''] }],
    ['updateTicket', one, { tags: null }],
    ['updateTicket', one, { subject: 'x', spam: false, addTags: ['b'], metadata: { a: 'b', c: null } }],
    ['updateTicket', one, { metadata: { a: 7 } }],
    ['updateTicket', one, { metadata: { ['k'.repeat(41)]: 'x' } }],
    ['updateTicket', one, { id: 'x' }],
    ['postMessage', `${one}/messages`, { text: 'x' }],
    ['postMessage', `${one}/messages`, { text: '' }],
    ['postMessage', `${one}/messages`, { text: 'x', role: 'bot' }],
  ])('%s %s %j', async (operationId, path, body) => {
    const answer = await client.call(operationId === 'updateTicket' ? 'PATCH' : 'POST', path, { body })
    expect(accepts(operationId)(body)).toBe(answer.status < 300)
  })
})

test('the webhooks are described as they are sent', async () => {
  const own = await (await bellhop.organization()).withKey({ scopes: [...KEY_SCOPES] })
  const { id: ticketId, customerId } = await makeTicket(own, { tags: ['vip'], metadata: { plan: 'gold' } })
  const sent = await own.call<{ id: string }>('POST', `/tickets/${ticketId}/messages`, { body: message })
  const messageId = sent.json.id
  const body = { status: 'pending', subject: 'Other', metadata: { plan: null }, addTags: ['new'] }
  await own.call('PATCH', `/tickets/${ticketId}`, { body })
  await own.call('POST', `/tickets/${ticketId}/notes`, { body: { text: 'She called.' } })
  const question = { role: 'customer', text: 'When?' }
  const asked = await own.call<{ id: string }>('POST', `/tickets/${ticketId}/messages`, { body: question })
  const sources = [{ title: 'Help', url: 'https://help.example.com' }]
  const suggested = { text: 'Soon.', answers: asked.json.id, sources, confidence: 0.5 }
  await own.call('POST', `/tickets/${ticketId}/suggestions`, { body: suggested })
  await own.call('POST', `/tickets/${ticketId}/messages`, { body: message })
  await bellhop.deps.database.write(own.orgId, async (tx) => {
    const createdAt = bellhop.deps.clock.now()
    recordEvents(bellhop.deps, tx, own.orgId, [{ type: 'message.updated', ticketId, messageId, createdAt }])
  })
  const imported = { externalId: 'old-1', subject: 'Old', customer: { email: 'bo@example.com' } }
  const text = { externalId: 'm1', role: 'customer', text: 'Hello', createdAt: '2020-01-01T00:00:00Z' }
  const kept = { status: 'open', channel: 'api', createdAt: text.createdAt, messages: [text] }
  const tickets = [{ ...imported, ...kept }]
  await own.call('POST', '/imports', { body: { tickets } })
  const other = (await makeTicket(own, { customer: { email: 'cy@example.com' } })).customerId
  await own.call('PATCH', `/customers/${customerId}`, { body: { company: 'Globex', metadata: { a: 'b' } } })
  await own.call('POST', `/customers/${customerId}/merge`, { body: { from: other } })
  const deleted = await makeTicket(own, { customer: { email: 'di@example.com' } })
  await own.call('DELETE', `/tickets/${deleted.id}`)
  await own.call('DELETE', `/customers/${deleted.customerId}`)

  expect(Object.keys(document.webhooks)).toEqual([...WEBHOOK_EVENTS])
  const log = await own.call<{ data: { event: string; body?: string }[] }>('GET', '/events?include=body')
  const events = log.json.data.flatMap(({ event, body }) => (body === undefined ? [] : [{ event, body }]))
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(WEBHOOK_EVENTS))
  for (const { event, body } of events) {
    const place = `#/webhooks/${event}/post/requestBody/content/application~1json/schema`
    for (const check of [validator(place), asItIs.compile({ $ref: `https://api.test/${place}` })]) {
      expect(check(JSON.parse(body)), `${body} ${JSON.stringify(check.errors)}`).toBe(true)
    }
    expect(validator(place)({ ...JSON.parse(body), event: 'other' })).toBe(false)
  }
})

describe('the page /docs', () => {
  test('names every operation and webhook', async () => {
    const page = await fetch(`${bellhop.url}/docs`).then((answer) => answer.text())
    const webhooks = Object.values(document.webhooks).map(({ post }) => post)
    for (const { operationId, summary } of [...operations.map(({ operation }) => operation), ...webhooks]) {
      expect(page).toContain(`id="${operationId}"`)
      expect(page).toContain(summary ?? 'a summary')
    }
  })
})

function expectDescribed(answer: Answer<unknown>, place: string): void {
  const response = at(place)
  const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
  const content = at(`${place}/content`)
  if (content === undefined) expect(answer.text).toBe('')
  else if ('*/*' in content) expect(type).not.toBe('')
  else {
    expect(Object.keys(content)).toEqual([type])
    const schema = `${place}/content/${escaped(type)}/schema`
    for (const check of [validator(schema), asItIs.compile({ $ref: `https://api.test/${schema}` })]) {
      expect(check(JSON.parse(answer.text)), JSON.stringify(check.errors)).toBe(true)
    }
  }
  for (const name of Object.keys(at(`${place}/headers`) ?? {})) {
    const isSometimes = ['Idempotency-Replayed', 'Link'].includes(name) || isBeforeTheLimit(answer, name)
    if (!isSometimes) expect([name, answer.headers.has(name)]).toEqual([name, true])
  }
  expect(response).toHaveProperty('description')
}

function isSchema(node: object): node is Schema {
  return 'properties' in node || 'enum' in node || 'allOf' in node
}

/** Without a key there is no limit to tell of. */
function isBeforeTheLimit({ status }: Answer<unknown>, header: string): boolean {
  return status === 401 && /ratelimit/i.test(header)
}

/** Its references are to the document. */
function validatorOf(schema: Schema) {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://api.test/#/')))
}

/** A compiled schema of the document. */
function validator(place: string) {
  return ajv.compile({ $ref: `https://api.test/${place}` })
}

/** Knows the document; with every object closed, what is not described may not be there. */
function readSchemas(change: (document: object) => void): Ajv2020 {
  const schemas = new Ajv2020({ strict: false })
  schemas.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  schemas.addFormat('email', /^[^\s@]+@[^\s@]+\.[^\s@]+$/)
  const whole = structuredClone({ ...document, $id: 'https://api.test/' })
  change(whole)
  return schemas.addSchema(whole)
}

function close(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  if (isSchema(node) && node.allOf) {
    // Closed, none of the parts would take the fields of the others.
    Object.assign(node, { ...fieldsOf(node), type: 'object' })
    delete node.allOf
  }
  if ('type' in node && node.type === 'object' && 'properties' in node) {
    Object.assign(node, { additionalProperties: false })
  }
  for (const inner of Object.values(node)) close(inner)
}

/** The fields of an object and of those it is based on. */
function fieldsOf(schema: Schema): { properties: Record<string, Schema>; required: string[] } {
  const named = document.components.schemas[schema.$ref?.split('/').at(-1) ?? '']
  const parts = named ? [named] : (schema.allOf ?? [])
  const all = [
    ...parts.map(fieldsOf),
    { properties: schema.properties ?? {}, required: schema.required ?? [] },
  ]
  return {
    properties: Object.assign({}, ...all.map(({ properties }) => structuredClone(properties))),
    required: all.flatMap(({ required }) => required),
  }
}

function at(place: string): object | undefined {
  const steps = place.slice(2).split('/')
  let node: unknown = document
  for (const step of steps) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof node !== 'object' || node === null) return undefined
    node = Object.entries(node).find(([key]) => key === name)?.[1]
  }
  return typeof node === 'object' && node !== null ? node : undefined
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function withoutKey<Json>(
  method: string,
  path: string,
  more?: Parameters<Client['call']>[2],
): Promise<Answer<Json>> {
  return call<Json>(method, `${bellhop.url}/v1${path}`, more)
}
