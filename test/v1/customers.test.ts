import { afterAll, describe, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { makeTicket, problemOf, readTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()

interface Customer {
  id: string
  name: string
  email?: string
  emails: string[]
  company?: string
  externalId?: string
  metadata?: Record<string, string>
  unverifiedEmail?: string
  updatedAt: string
}

interface Page {
  data: Customer[]
  meta: { perPage: number; nextCursor?: string }
}

function put(client: Client, externalId: string, body: object, headers = {}) {
  return client.call<Customer>('PUT', `/customers/external/${encodeURIComponent(externalId)}`, {
    body,
    headers,
  })
}

async function page(client: Client, query: Record<string, string> = {}): Promise<Page> {
  const answer = await client.call<Page>('GET', `/customers?${new URLSearchParams(query)}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const namesOf = ({ data }: Page) => data.map(({ name }) => name)

describe('a customer of another system', () => {
  test('is created once, and changed by every later call', async () => {
    const body = { name: 'Ana Pires', email: 'ana@example.com', metadata: { plan: 'gold', seats: '5' } }
    const made = await put(acme, 'crm/ana 1', body)
    expect(made).toMatchObject({
      status: 201,
      json: { name: 'Ana Pires', email: 'ana@example.com', externalId: 'crm/ana 1', metadata: body.metadata },
    })
    expect(made.headers.get('location')).toBe(`/v1/customers/${made.json.id}`)
    const again = await put(acme, 'crm/ana 1', body)
    expect(again).toMatchObject({ status: 200, json: { id: made.json.id, updatedAt: made.json.updatedAt } })
    expect(again.headers.get('etag')).toBe(made.headers.get('etag'))
    const changed = await put(acme, 'crm/ana 1', { company: 'Globex', metadata: { plan: 'silver' } })
    expect(changed.json).toMatchObject({
      name: 'Ana Pires',
      company: 'Globex',
      metadata: { plan: 'silver', seats: '5' },
    })
    const { data } = await page(acme, { externalId: 'crm/ana 1' })
    expect(data).toEqual([changed.json])
  })

  test('is the one who has written from the address already, unless they are known under another id', async () => {
    const ticket = await makeTicket(acme, { customer: { email: 'Bo@example.com', name: 'Bo' } })
    const { json } = await put(acme, 'bo', { name: 'Bo Lind', email: 'bo@example.com' })
    expect((await readTicket(acme, ticket.id)).customer).toMatchObject({ userId: json.id, name: 'Bo Lind' })
    const taken = await put(acme, 'other', { email: 'bo@example.com' })
    expect(problemOf(taken, 409, 'email_taken')).toMatchObject({ id: json.id })
    const id = await acme.call('PATCH', `/customers/${json.id}`, { body: { externalId: 'crm/ana 1' } })
    problemOf(id, 409, 'external_id_taken')
  })

  test('needs a name or an address', async () => {
    problemOf(await put(acme, 'nobody', { company: 'Globex' }), 400, 'invalid_request')
    problemOf(await put(acme, ' ', { name: 'Ana' }), 400, 'invalid_request')
    problemOf(await put(acme, 'x'.repeat(256), { name: 'Ana' }), 400, 'invalid_request')
    const both = await put(acme, 'both', { email: 'a@example.com', emails: ['b@example.com'] })
    expect(problemOf(both, 400, 'invalid_request').errors).toMatchObject([{ pointer: '/email' }])
    const own = await put(acme, 'unknown', { name: 'Ana', age: '40' })
    expect(problemOf(own, 400, 'invalid_request').errors).toMatchObject([{ code: 'unknown_field' }])
  })

  test('is still found by the id after they were merged, and by both after it is given to the other', async () => {
    const [from, into] = [
      await put(acme, 'from', { name: 'From' }),
      await put(acme, 'into', { name: 'Into' }),
    ]
    const path = `/customers/${into.json.id}/merge`
    const merged = await acme.call('POST', path, { body: { from: from.json.id } })
    expect(merged.status, merged.text).toBe(200)
    expect(await page(acme, { externalId: 'from' })).toMatchObject({ data: [{ id: into.json.id }] })
    expect((await put(acme, 'from', { company: 'Globex' })).json).toMatchObject({
      id: into.json.id,
      externalId: 'into',
    })
    expect((await acme.call<Customer>('GET', `/customers/${from.json.id}`)).json.id).toBe(into.json.id)
    const given = await acme.call<Customer>('PATCH', `/customers/${into.json.id}`, {
      body: { externalId: 'from' },
    })
    expect(given.json.externalId).toBe('from')
    expect(await page(acme, { externalId: 'into' })).toMatchObject({ data: [] })
  })
})

describe('a customer', () => {
  test('is read and changed by what nobody has changed in between', async () => {
    const { json } = await put(acme, 'etag', { name: 'Eva', emails: ['eva@example.com', 'eva@work.example'] })
    const path = `/customers/${json.id}`
    const read = await acme.call<Customer>('GET', path)
    expect(read.json).toEqual(json)
    const etag = read.headers.get('etag') ?? ''
    const same = await acme.call('GET', path, { headers: { 'if-none-match': etag } })
    expect(same).toMatchObject({ status: 304, text: '' })
    const change = (body: object) =>
      acme.call<Customer>('PATCH', path, { body, headers: { 'if-match': etag } })
    const moved = await change({ email: 'Eva@work.example', note: 'Likes tea.', phone: '' })
    expect(moved.json).toMatchObject({ emails: ['Eva@work.example', 'eva@example.com'], note: 'Likes tea.' })
    problemOf(await change({ note: '' }), 412, 'precondition_failed')
    const none = await acme.call('DELETE', path, { headers: { 'if-match': etag } })
    expect(none.status).toBe(403)
    expect((await acme.call('GET', path, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })

  test('shows the address that a visitor typed as unverified', async () => {
    const widget = await openWidget(bellhop, acme.orgId)
    const visitor = await widget.visit()
    const { conversation } = await visitor.say('Hello')
    await visitor.call('PATCH', '/visitor', { body: { name: 'Mia', email: 'mia@example.com' } })
    const { userId } = (await readTicket(acme, conversation.id)).customer
    const { json } = await acme.call<Customer>('GET', `/customers/${userId}`)
    expect(json).toMatchObject({
      name: 'Mia',
      emails: [],
      unverified: true,
      unverifiedEmail: 'mia@example.com',
    })
    expect(json.email).toBeUndefined()
  })

  test('is deleted with their tickets by a key that has the scope by name', async () => {
    const eraser = await acme.withKey({ scopes: ['erase'] })
    const ticket = await makeTicket(acme, { customer: { email: 'gone@example.com' } })
    const { userId } = (await readTicket(acme, ticket.id)).customer
    const path = `/customers/${userId}`
    problemOf(await acme.call('DELETE', path), 403, 'missing_scope')
    const stale = await eraser.call('DELETE', path, { headers: { 'if-match': '"77"' } })
    problemOf(stale, 412, 'precondition_failed')
    expect(await eraser.call('DELETE', path)).toMatchObject({ status: 204, text: '' })
    problemOf(await eraser.call('DELETE', path), 404, 'not_found')
    problemOf(await acme.call('GET', `/tickets/${ticket.id}`), 404, 'not_found')
  })

  test('of another organization is unknown', async () => {
    const other = await bellhop.organization()
    const eraser = await other.withKey({ scopes: ['erase'] })
    const { json } = await put(acme, 'ours', { name: 'Ours' })
    for (const id of [json.id, 'usr_00000000000000000000000000', 'x']) {
      problemOf(await other.call('GET', `/customers/${id}`), 404, 'not_found')
      problemOf(await other.call('PATCH', `/customers/${id}`, { body: { name: 'Theirs' } }), 404, 'not_found')
      problemOf(await eraser.call('DELETE', `/customers/${id}`), 404, 'not_found')
    }
    expect((await put(other, 'ours', { name: 'Theirs' })).status).toBe(201)
    expect((await acme.call<Customer>('GET', `/customers/${json.id}`)).json.name).toBe('Ours')
  })
})

describe('the list of customers', () => {
  test('has each one once, the newest first, and finds them by address, id or words', async () => {
    const shop = await bellhop.organization()
    const names = Array.from({ length: 7 }, (_, place) => `Customer ${place}`)
    for (const name of names) await put(shop, name, { name, email: `${name.replace(' ', '')}@example.com` })
    const found: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { data, meta } = await page(shop, { per_page: '3', cursor })
      expect(meta.perPage).toBe(3)
      found.push(...data.map(({ name }) => name))
      cursor = meta.nextCursor
    }
    expect(found).toEqual(names.toReversed())
    expect(namesOf(await page(shop, { email: 'CUSTOMER3@example.com' }))).toEqual(['Customer 3'])
    expect(namesOf(await page(shop, { email: 'nobody@example.com' }))).toEqual([])
    await indexed(bellhop)
    expect(namesOf(await page(shop, { q: 'customer5@ex' }))).toEqual(['Customer 5'])
    const named = { email: 'customer3@example.com', q: 'cust' }
    expect(namesOf(await page(shop, named))).toEqual(['Customer 3'])
    expect(namesOf(await page(shop, { ...named, q: 'customer5' }))).toEqual([])
    const both = { email: 'customer3@example.com', externalId: 'Customer 3' }
    expect(namesOf(await page(shop, both))).toEqual(['Customer 3'])
    expect(namesOf(await page(shop, { ...both, externalId: 'Customer 4' }))).toEqual([])
    problemOf(await shop.call('GET', '/customers?cursor=x'), 400, 'invalid_request')
    problemOf(await shop.call('GET', '/customers?name=x'), 400, 'invalid_request')
  })

  test('shows what an agent changed', async () => {
    const shop = await bellhop.organization()
    const ben = await signInAgent(bellhop, shop.orgId)
    const { json } = await put(shop, 'ana', { name: 'Ana' })
    await ben.call('PATCH', `/console/customers/${json.id}`, { body: { company: 'Globex' } })
    expect((await page(shop)).data).toMatchObject([{ id: json.id, company: 'Globex' }])
  })
})
