import { describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import { t } from 'elysia'
import type { OpenApiDocument } from '../../server/http/openapi/document.ts'
import { collectSchemas } from '../../server/http/openapi/schemas.ts'
import { openApiFaults } from '../support/openapi-faults.ts'
import { sampleApi, sampleApp } from './sample-api.ts'

const get = (app: ReturnType<typeof sampleApp>, path: string, headers: Record<string, string> = {}) =>
  app.handle(new Request(`http://localhost${path}`, { headers }))

async function readDocument(app = sampleApp()): Promise<OpenApiDocument> {
  const response = await get(app, '/v1/openapi.json')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  return response.json()
}

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1, webhooks included', async () => {
    const document = await readDocument()
    expect(document.openapi).toStartWith('3.1.')
    expect(await openApiFaults(document)).toEqual([])
  })

  test.each<[string, (document: OpenApiDocument) => void]>([
    [
      'an answer without a description',
      (one) => delete one.paths['/tickets']?.get?.responses['200']?.description,
    ],
    [
      'a webhook that is no request',
      (one) => Object.assign(one.webhooks, { 'ticket.created': { post: 'x' } }),
    ],
    ['a reference to nothing', (one) => delete one.components.schemas.Ticket],
    [
      'a type that does not exist',
      (one) => Object.assign(one.components.schemas, { Ticket: { type: 'Date' } }),
    ],
    [
      'a stray key in an answer',
      (one) => Object.assign(one.paths['/tickets']?.get?.responses['200'] ?? {}, { $id: 'x' }),
    ],
  ])('would be caught with %s', async (_, damage) => {
    const document = await readDocument()
    damage(document)
    expect(await openApiFaults(document)).not.toEqual([])
  })

  test.each([
    ['an open one', {}],
    ['a strict one', { additionalProperties: false }],
  ])('lets a strict object that shares fields with %s have those and its own, and no others', (_, how) => {
    const base = t.Object({ id: t.String() }, { $id: 'Base', ...how })
    const fields = { ...base.properties, name: t.String() }
    const collection = collectSchemas({})
    collection.describe(t.Object(fields, { $id: 'Whole', base, additionalProperties: false }))
    collection.describe(base)
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema({ $id: 'https://api.test/', components: { schemas: collection.schemas } })
    const isWhole = ajv.compile({ $ref: 'https://api.test/#/components/schemas/Whole' })
    expect(isWhole({ id: '1', name: 'x' })).toBe(true)
    expect(isWhole({ id: '1', name: 'x', other: 1 })).toBe(false)
    expect(isWhole({ id: '1' })).toBe(false)
  })

  test('contains the operations below /v1, but not the console, health checks, hidden routes, or itself', async () => {
    const document = await readDocument()
    const calls = Object.entries(document.paths).map(([path, item]) => [path, ...Object.keys(item)].join(' '))
    expect(calls).toEqual(['/tickets get post', '/tickets/{id} get patch', '/tickets/{id}/messages post'])
    expect(Object.keys(document.components.schemas).sort()).toEqual([
      'Customer',
      'Message',
      'Problem',
      'Ticket',
    ])
    expect(document.servers).toEqual([{ url: 'http://127.0.0.1:3000/v1', description: 'This installation' }])
  })

  test('gives every operation a unique id', async () => {
    const { paths, webhooks } = await readDocument()
    const names = [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) =>
      Object.values(item).map((operation) => operation.operationId),
    )
    expect(names).toContain('createTicket')
    expect(new Set(names).size).toBe(names.length)
  })

  test('describes the validation: limits, choices, nullable and required fields', async () => {
    const { paths } = await readDocument()
    const list = paths['/tickets']?.get
    const page = { type: 'integer', minimum: 1, default: 1 }
    const choices = { type: 'string', enum: ['open', 'pending', 'resolved'] }
    expect(list?.parameters).toContainEqual({
      name: 'page',
      in: 'query',
      required: false,
      description: 'Page number.',
      schema: page,
    })
    expect(list?.parameters?.[0]).toMatchObject({ name: 'status', required: false, schema: choices })
    const create = paths['/tickets']?.post
    const body = create?.requestBody?.content['application/json']?.schema
    expect(body?.required).toEqual(['subject', 'customer', 'message'])
    expect(body?.additionalProperties).toBe(false)
    expect(body?.properties?.subject).toMatchObject({ type: 'string', minLength: 1, maxLength: 255 })
    const change = paths['/tickets/{id}']?.patch?.requestBody?.content['application/json']?.schema
    expect(change?.properties?.assignedTo).toEqual({ type: ['string', 'null'] })
    expect(change?.properties?.status).toMatchObject(choices)
    expect(change?.properties?.status).not.toHaveProperty('default')
    expect(create?.parameters?.map((parameter) => parameter.name)).toEqual(['Idempotency-Key'])
  })

  test('defines a named schema once and refers to it', async () => {
    const { paths, components } = await readDocument()
    const reference = { $ref: '#/components/schemas/Ticket' }
    const read = paths['/tickets/{id}']?.get?.responses['200']?.content?.['application/json']?.schema
    expect(read).toEqual(reference)
    expect(components.schemas.Ticket?.properties?.customer).toEqual({ $ref: '#/components/schemas/Customer' })
    expect(JSON.stringify(components.schemas)).not.toContain('$id')
  })

  test('describes errors as problem documents, including those common to all operations', async () => {
    const { paths, components } = await readDocument()
    const responses = paths['/tickets']?.post?.responses
    expect(Object.keys(responses ?? {})).toEqual(['201', '400', '401', '413', '429', '500'])
    expect(responses?.['401']).toEqual({ $ref: '#/components/responses/Problem401' })
    const schema = { $ref: '#/components/schemas/Problem' }
    expect(responses?.['413']?.content).toEqual({ 'application/problem+json': { schema } })
    expect(components.responses.Problem429?.headers).toHaveProperty('Retry-After')
    expect(paths['/tickets/{id}']?.get?.responses['304']).not.toHaveProperty('content')
  })

  test('describes authentication and scopes', async () => {
    const { paths, security, components } = await readDocument()
    expect(components.securitySchemes.secretKey).toMatchObject({ type: 'http', scheme: 'bearer' })
    expect(security).toEqual([{ secretKey: [] }])
    expect(paths['/tickets']?.post?.security).toEqual([{ secretKey: ['tickets:write'] }])
  })

  test('describes each webhook as the request a receiver gets', async () => {
    const { webhooks } = await readDocument()
    expect(Object.keys(webhooks)).toEqual(['ticket.created', 'message.sent'])
    const created = webhooks['ticket.created']?.post
    expect(created?.operationId).toBe('onTicketCreated')
    expect(created?.parameters).toMatchObject([{ name: 'X-Service-Signature', in: 'header', required: true }])
    const body = created?.requestBody?.content['application/json']?.schema
    expect(body?.properties?.event).toEqual({ const: 'ticket.created', type: 'string' })
    expect(Object.keys(created?.responses ?? {})).toEqual(['2XX', 'default'])
  })

  test('fails when two schemas have the same name', async () => {
    const other = t.Object({ title: t.String() }, { $id: 'Ticket' })
    const app = sampleApp({ ...sampleApi, problem: other })
    const response = await get(app, '/v1/openapi.json')
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('Two different schemas are named Ticket')
  })

  test.each(['/v1/openapi.json', '/docs'])('sends %s only if it changed', async (path) => {
    const app = sampleApp()
    const first = await get(app, path)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    expect(await (await get(app, path)).text()).toBe(await first.text())
    for (const known of [etag, `W/${etag}`, `"old", ${etag}`, '*']) {
      const again = await get(app, path, { 'if-none-match': known })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    }
    expect((await get(app, path, { 'if-none-match': '"old"' })).status).toBe(200)
  })
})

describe('the reference page', () => {
  const readPage = async () => (await get(sampleApp(), '/docs')).text()

  test('loads only its own style and script', async () => {
    const response = await get(sampleApp(), '/docs')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toStartWith(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    )
    const page = await response.text()
    expect(page).not.toMatch(/<script>|<style|<iframe|<img|\sstyle=|\son[a-z]+=/)
    const loaded = [...page.matchAll(/(?:<link[^>]*href|src)="([^"]*)"/g)].map((match) => match[1])
    expect(loaded).toEqual(['/docs/docs.css', '/docs/docs.js'])
  })

  test('shows every operation and webhook, and every link on the page works', async () => {
    const page = await readPage()
    const { paths, webhooks } = await readDocument()
    for (const item of [...Object.values(paths), ...Object.values(webhooks)]) {
      for (const { operationId } of Object.values(item)) expect(page).toContain(`id="${operationId}"`)
    }
    const anchors = [...page.matchAll(/href="#([^"]*)"/g)].map((match) => match[1])
    expect(anchors.length).toBeGreaterThan(10)
    for (const anchor of anchors) expect(page).toContain(`id="${anchor}"`)
  })

  test('shows the fields of bodies with their limits, scopes, and an example request', async () => {
    const text = (await readPage()).replaceAll(/<[^>]+>/g, '')
    expect(text).toContain('customer.email')
    expect(text).toContain('1–65,536 characters')
    expect(text).toContain('Needs a key with tickets:write')
    expect(text).toContain('curl -X PATCH &quot;$BELLHOP/tickets/tkt_01k2v8m3&quot;')
    expect(text).toContain("It hasn'\\''t arrived yet.".replaceAll("'", '&#x27;'))
  })

  test('escapes descriptions and examples', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    const app = sampleApp({
      ...sampleApi,
      title: hostile,
      problem: t.Object({ title: t.String({ examples: [hostile] }) }),
    })
    expect(await (await get(app, '/docs')).text()).not.toContain('<img')
  })
})
