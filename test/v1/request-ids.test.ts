import { afterAll, describe, expect, test } from 'bun:test'
import { call, startBellhop } from '../support/bellhop.ts'
import { NO_TICKET, problemOf, ticketInput } from '../support/tickets.ts'

// The contract's X-Request-Id; that the log has it too is in errors.test.ts.

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

describe('request ids', () => {
  test('every answer has one of its own, errors repeat it', async () => {
    const client = await bellhop.organization()
    const answers = [
      await client.call('GET', '/tickets'),
      await client.call('GET', '/tickets'),
      await client.call('POST', '/tickets', { body: ticketInput() }),
      await client.call('GET', `/tickets/${NO_TICKET}`),
      await call('GET', `${bellhop.url}/v1/tickets`),
      await call('GET', `${bellhop.url}/nowhere`),
      await call('GET', `${bellhop.url}/v1/openapi.json`),
      await call('GET', `${bellhop.url}/docs`),
      await call('GET', `${bellhop.url}/health/live`),
    ]
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '')
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{26}$/)
    expect(new Set(ids).size).toBe(ids.length)
    expect(JSON.parse(answers[3]?.text ?? '').requestId).toBe(ids[3])
  })

  test.each(['trace-1', 'A.b_c:d/e+f=g', '4bf92f3577b34da6a3ce929d0e0e4736', 'x'.repeat(128)])(
    "the caller's own %p is kept",
    async (id) => {
      const client = await bellhop.organization()
      const headers = { 'x-request-id': id }
      expect((await client.call('GET', '/tickets', { headers })).headers.get('x-request-id')).toBe(id)
      const refused = await client.call('GET', `/tickets/${NO_TICKET}`, { headers })
      expect(problemOf(refused, 404, 'not_found').requestId).toBe(id)
    },
  )

  test.each(['', 'x'.repeat(129), 'a b', '<b>', '"', 'ü', 'a,b', 'a\tb'])(
    'an unsafe %p is replaced',
    async (id) => {
      const client = await bellhop.organization()
      const answer = await client.call('GET', '/tickets', { headers: { 'x-request-id': id } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
    },
  )
})
