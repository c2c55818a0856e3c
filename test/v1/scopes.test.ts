import { afterAll, describe, expect, test } from 'bun:test'
import { KEY_SCOPES, type KeyScope, NAMED_SCOPES } from '../../server/database/tables/api-keys.ts'
import type { OpenApiDocument, Operation, Parameter } from '../../server/http/openapi/document.ts'
import { type Answer, type Call, type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { MARKER, makeFullOrganization } from '../support/full-organization.ts'
import { storedRows } from '../support/stored-rows.ts'

// Every operation of the document, with keys of every scope, and with the ids of another organization. New operations are
// covered by their entry in the document: a scope, the examples of its path, and of its body.

const bellhop = await startBellhop({ clock: createManualClock() })
afterAll(() => bellhop.stop())
const { json: document } = await call<OpenApiDocument>('GET', `${bellhop.url}/v1/openapi.json`)
const acme = await makeFullOrganization(bellhop)
const other = await bellhop.organization('Other')
const fullAccess = other
const everything = await other.withKey({ scopes: [...KEY_SCOPES] })
const publicKey = await other.withKey({ kind: 'public' })
const only = new Map<KeyScope, Client>()
const allBut = new Map<KeyScope, Client>()
for (const scope of KEY_SCOPES) {
  only.set(scope, await other.withKey({ scopes: [scope] }))
  allBut.set(scope, await other.withKey({ scopes: KEY_SCOPES.filter((one) => one !== scope) }))
}

/** Operations for every secret key. */
const ANY_KEY = ['readMe']
/** The body of these is no JSON. */
const FILES = ['uploadAttachment']

/** Operations that a key with another scope may do, too. */
const OTHER_SCOPES = new Map<string, KeyScope>([
  ['mergeCustomer', 'customers:write'],
  ['uploadAttachment', 'suggestions:write'],
  ['deleteAttachment', 'suggestions:write'],
])

interface Described {
  operationId: string
  method: string
  path: string
  operation: Operation
  scope: KeyScope | undefined
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]): Described => ({
      operationId: operation.operationId,
      method: method.toUpperCase(),
      path: path.replace(/^\/v1/, ''),
      operation,
      scope: KEY_SCOPES.find((scope) => scope === operation['x-scope']),
    }),
  ),
)
const scoped = operations.filter(({ operationId }) => !ANY_KEY.includes(operationId))

/** An id of the first organization for each kind of id. */
const foreignIds = new Map(
  Object.entries(acme.owned).flatMap(([name, id]) =>
    name.startsWith('new') ? [] : [[id.slice(0, 4), id] as const],
  ),
)

const AN_ID = /\b[a-z]{3}_[0-9a-z]{26}\b/g

/** The path with these ids, and whether it names one of the organization. */
function pathOf({ path, operation }: Described, idFor: (example: string) => string | undefined) {
  let isOfRow = false
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = operation.parameters?.find((one) => one.in === 'path' && one.name === name)
    const example = exampleOf(parameter)
    if (example === '') throw new Error(`The document has no example of {${name}} in ${path}.`)
    const id = idFor(example)
    isOfRow ||= id !== undefined
    return encodeURIComponent(id ?? example)
  })
  const required = operation.parameters?.filter((one) => one.in === 'query' && one.required) ?? []
  const query = required.map((one) => `${one.name}=${exampleOf(one)}`).join('&')
  return { path: query ? `${filled}?${query}` : filled, isOfRow }
}

function exampleOf(parameter: Parameter | undefined): string {
  const examples = parameter?.schema.examples
  return String(parameter?.example ?? (Array.isArray(examples) ? examples[0] : ''))
}

function bodyOf({ operation, operationId }: Described): Call {
  if (FILES.includes(operationId)) return { raw: 'A file' }
  const content = operation.requestBody?.content['application/json']
  if (!content) return {}
  if (content.example === undefined)
    throw new Error(`The document has no example of a body of ${operationId}.`)
  return { body: JSON.parse(JSON.stringify(content.example).replaceAll(AN_ID, foreignOr)) }
}

/** An id of the first organization instead of one of an example. */
function foreignOr(example: string): string {
  return foreignIds.get(example.slice(0, 4)) ?? example
}

function foreign(described: Described) {
  return pathOf(described, (example) => foreignIds.get(example.slice(0, 4)))
}

function ask(client: Client, described: Described, path = foreign(described).path): Promise<Answer<unknown>> {
  return client.call<unknown>(described.method, path, bodyOf(described))
}

test('every operation names its scope, in the document and where keys are explained', () => {
  expect(operations.length).toBeGreaterThan(20)
  const without = scoped.filter(({ scope }) => scope === undefined).map(({ operationId }) => operationId)
  expect(without).toEqual([])
  for (const { operationId, operation, scope } of scoped) {
    const scopes = [scope ?? '', OTHER_SCOPES.get(operationId) ?? []].flat()
    expect(operation.security).toEqual(scopes.map((one) => ({ secretKey: [one] })))
  }
})

describe.each(scoped.map((described) => [described.operationId, described] as const))(
  '%s',
  (_, described) => {
    const { scope } = described
    if (!scope) return

    const another = OTHER_SCOPES.get(described.operationId)

    test(`needs the scope ${scope}${another ? ` or ${another}` : ''}, and no other one will do`, async () => {
      const missing = { status: 403, code: 'missing_scope', detail: `This key needs the scope ${scope}.` }
      for (const [held, client] of only) {
        if (held === scope) continue
        if (held === another) {
          expect((await ask(client, described)).status, held).toBe(foreign(described).isOfRow ? 404 : 201)
          continue
        }
        expect((await ask(client, described)).json, held).toMatchObject(missing)
      }
      const allOthers = another ? undefined : allBut.get(scope)
      if (allOthers) expect((await ask(allOthers, described)).json).toMatchObject(missing)
      if (NAMED_SCOPES.includes(scope)) {
        expect((await ask(fullAccess, described)).json, 'full access').toMatchObject(missing)
      }
      expect((await ask(publicKey, described)).json).toMatchObject({ status: 403, code: 'public_key' })
    })

    test('shows and changes nothing of another organization', async () => {
      const before = await rowsOfAcme()
      const { path, isOfRow } = foreign(described)
      const client = only.get(scope) ?? everything
      for (const by of NAMED_SCOPES.includes(scope)
        ? [client, everything]
        : [client, everything, fullAccess]) {
        const answer = await ask(by, described, path)
        if (isOfRow) expect(answer.json, answer.text).toMatchObject({ status: 404 })
        else expect([401, 403, 405, 500], answer.text).not.toContain(answer.status)
        expect(answer.text).not.toContain('unknown_route')
        expect(answer.text).not.toContain(acme.client.orgId)
        expect(answer.text).not.toContain(MARKER)
      }
      expect(await rowsOfAcme()).toEqual(before)
    })

    test('finds nothing by an id of another organization in a query', async () => {
      const { path } = foreign(described)
      for (const parameter of described.operation.parameters ?? []) {
        const named = exampleOf(parameter).replaceAll(AN_ID, foreignOr)
        if (parameter.in !== 'query' || named === exampleOf(parameter)) continue
        const join = path.includes('?') ? '&' : '?'
        const query = `${parameter.name}=${encodeURIComponent(named)}`
        const answer = await ask(everything, described, `${path}${join}${query}`)
        expect(answer.status, answer.text).toBeLessThan(500)
        expect(answer.text).not.toContain(acme.client.orgId)
        expect(answer.text).not.toContain(MARKER)
      }
    })

    test('answers a malformed id like a foreign one', async () => {
      const { path, isOfRow } = foreign(described)
      if (!isOfRow) return
      const malformed = pathOf(described, (example) =>
        foreignIds.has(example.slice(0, 4)) ? 'not-an-id' : undefined,
      )
      const [one, another] = [
        await ask(everything, described, path),
        await ask(everything, described, malformed.path),
      ]
      expect(withoutRequest(another.json)).toEqual(withoutRequest(one.json))
    })
  },
)

test('every secret key may ask who it is', async () => {
  for (const described of operations.filter(({ operationId }) => ANY_KEY.includes(operationId))) {
    for (const client of [...only.values(), fullAccess]) {
      expect((await ask(client, described)).status).toBe(200)
    }
    expect((await ask(publicKey, described)).json).toMatchObject({ status: 403, code: 'public_key' })
  }
})

async function rowsOfAcme(): Promise<string[]> {
  const rows = Object.values(await storedRows(bellhop.deps)).flat()
  return rows.filter((row) => row.includes(acme.client.orgId))
}

function withoutRequest(json: unknown): object {
  return { ...Object(json), requestId: '' }
}
