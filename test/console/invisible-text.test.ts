import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { makeTicket, problemOf, readTicket } from '../support/tickets.ts'

/** Zero-width space, joiners, word joiner, byte order mark, soft hyphen, variation selector, Hangul filler, a tag. */
const INVISIBLE = ['\u200B', '\u200C\u200D', '\u2060 \uFEFF', '\u00AD', '\uFE0F', '\u3164', '\u{E0041}']
let bellhop: Bellhop
let acme: Client
let root: SignedInAgent
let ticketId: string

beforeAll(async () => {
  bellhop = await startBellhop()
  acme = await (await bellhop.organization()).withKey({ rateLimit: 1_000_000 })
  root = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
  ticketId = (await makeTicket(acme, { tags: ['vip'] })).id
})
afterAll(() => bellhop.stop())

test('invisible text is refused like blank text, by the API and the console', async () => {
  const customer = { email: 'ana@example.com' }
  const ticket = { subject: 'S', message: 'M', customer }
  for (const text of INVISIBLE) {
    const given: [
      caller: Client | SignedInAgent,
      method: string,
      path: string,
      body: object,
      pointer: string,
    ][] = [
      [acme, 'POST', '/tickets', { ...ticket, subject: text }, '/subject'],
      [acme, 'POST', '/tickets', { ...ticket, message: text }, '/message'],
      [acme, 'POST', '/tickets', { ...ticket, tags: ['a', text] }, '/tags/1'],
      [acme, 'POST', '/tickets', { ...ticket, customer: { ...customer, name: text } }, '/customer/name'],
      [acme, 'POST', `/tickets/${ticketId}/messages`, { text }, '/text'],
      [acme, 'PATCH', `/tickets/${ticketId}`, { tags: [text] }, '/tags/0'],
      [root, 'PATCH', `/console/tickets/${ticketId}`, { subject: text }, '/subject'],
      [root, 'PUT', `/console/tickets/${ticketId}/notes/${bellhop.deps.newId('not')}`, { text }, '/text'],
      [acme, 'PUT', `/tickets/${ticketId}/messages/${bellhop.deps.newId('msg')}`, { text }, '/text'],
      [root, 'POST', '/console/tags/rename', { from: 'vip', to: text }, '/to'],
      [root, 'POST', '/console/views', { name: text, query: '' }, '/name'],
      [root, 'POST', '/console/saved-replies', { name: text, text: 'Hello' }, '/name'],
      [root, 'POST', '/console/saved-replies', { name: 'Hello', text }, '/text'],
    ]
    for (const [caller, method, path, body, pointer] of given) {
      const problem = problemOf(await caller.call(method, path, { body }), 400, 'invalid_request')
      expect(problem.errors, `${path} ${JSON.stringify(body)}`).toMatchObject([{ pointer, code: 'blank' }])
    }
    for (const [method, path, body] of [
      ['POST', '/console/agents', { name: text, email: 'new@example.com', role: 'agent' }],
      ['PATCH', '/console/organization', { name: text }],
      ['POST', '/console/keys', { name: text, scopes: ['tickets:read'] }],
    ] as const) {
      const problem = problemOf(await root.call(method, path, { body }), 400, 'invalid_request')
      expect(problem.errors, path).toMatchObject([{ pointer: '/name', code: 'invalid_name' }])
    }
  }
  expect((await readTicket(acme, ticketId)).tags).toEqual(['vip'])
})

test('invisible characters that join others are kept', async () => {
  const family = '👨‍👩‍👧'
  const text = `${family} re\u00ADfund \u200Bnow`
  const { id } = await makeTicket(acme, { subject: text, message: text, tags: [family] })
  expect(await readTicket(acme, id)).toMatchObject({ subject: text, tags: [family] })
})
