import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { changeTicket, type ListJson, listTickets, makeTicket, problemOf } from '../support/tickets.ts'

// Specification, sections 2, 4 and 8: GET /tickets. Pages, cursors and totals are in list-pages.test.ts, every
// combination of filters and orders in list-filters.test.ts.

const clock = createManualClock(Date.parse('2026-03-01T09:30:00.000Z'))
const bellhop = await startBellhop({ clock, settings: { BELLHOP_RATE_LIMIT: '1000000' } })
afterAll(() => bellhop.stop())

describe('an item of the list', () => {
  test('has the fields of the list and no others', async () => {
    const client = await bellhop.organization()
    const agentId = await makeAgent(client)
    const { id, customerId } = await makeTicket(client, { tags: ['vip'] })
    await changeTicket(client, id, { assignedTo: agentId })
    const item = {
      id,
      orgId: client.orgId,
      status: 'open',
      channel: 'api',
      subject: 'Missing invoice',
      createdAt: '2026-03-01T09:30:00.000Z',
      updatedAt: '2026-03-01T09:30:00.000Z',
      lastMessageAt: '2026-03-01T09:30:00.000Z',
      waitingSince: '2026-03-01T09:30:00.000Z',
      customer: { name: 'Ana Pires', email: 'ana@example.com' },
      customerId,
      tags: ['vip'],
      spam: false,
    }
    const meta = { total: 1, page: 1, perPage: 25 }
    expect(await listTickets(client)).toEqual({ data: [{ ...item, assignedTo: agentId }], meta })
    await changeTicket(client, id, { assignedTo: null })
    expect(await listTickets(client)).toEqual({ data: [item], meta })
  })

  test('is not there in an organization without tickets', async () => {
    const client = await bellhop.organization()
    const answer = await client.call<ListJson>('GET', '/tickets')
    expect(answer.json).toEqual({ data: [], meta: { total: 0, page: 1, perPage: 25 } })
    expect(answer.headers.has('link')).toBe(false)
  })
})

describe('filters and orders', () => {
  let client: Client
  let vip = ''

  beforeAll(async () => {
    client = await bellhop.organization()
    vip = (await makeTicket(client, { tags: ['vip'] })).id
    await makeTicket(client, { tags: ['VIP'] })
  })

  test('a tag, an agent or a channel without tickets finds nothing', async () => {
    const nobody = ['?tag=none', '?assignedTo=agt_00000000000000000000000000', '?tag=vip&assignedTo=nobody']
    for (const query of nobody) {
      expect(await listTickets(client, query)).toEqual({ data: [], meta: { total: 0, page: 1, perPage: 25 } })
    }
  })

  test.each([
    ['status', 'Open', 'not_allowed', 'Must be one of: open, resolved, pending.'],
    ['status', '', 'not_allowed', 'Must be one of: open, resolved, pending.'],
    ['channel', 'sms', 'not_allowed', 'Must be one of: widget, email, telegram, api.'],
    [
      'sort',
      'subject_asc',
      'not_allowed',
      'Must be one of: created_asc, created_desc, updated_asc, updated_desc, message_desc, waiting.',
    ],
    ['tag', '', 'too_short', 'Must have at least 1 character.'],
    ['tag', 't'.repeat(65), 'too_long', 'Must be at most 64 characters.'],
    ['assignedTo', '', 'too_short', 'Must have at least 1 character.'],
  ])('refuses %s=%s by name', async (parameter, value, code, detail) => {
    const answer = await client.call('GET', `/tickets?${new URLSearchParams({ [parameter]: value })}`)
    expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([{ parameter, code, detail }])
  })

  test('trims filters like the fields that they match, and refuses what is blank or not encoded', async () => {
    const { data } = await listTickets(client, '?tag=%20vip%20')
    expect(data.map(({ id }) => id)).toEqual([vip])
    for (const [query, code] of [
      ['tag=%20', 'blank'],
      ['assignedTo=%20', 'blank'],
      ['tag=%zz', 'invalid_encoding'],
    ]) {
      const [parameter] = query?.split('=') ?? []
      const answer = await client.call('GET', `/tickets?${query}`)
      expect(problemOf(answer, 400, 'invalid_request').errors).toMatchObject([{ parameter, code }])
    }
  })

  test('names every wrong parameter at once', async () => {
    const answer = await client.call(
      'GET',
      '/tickets?page=0&per_page=x&sort=up&status=new&limit=3&tag=a&tag=b',
    )
    const { errors, detail } = problemOf(answer, 400, 'invalid_request')
    expect(errors?.map((fault) => fault.parameter).sort()).toEqual(
      ['limit', 'page', 'per_page', 'sort', 'status', 'tag'].sort(),
    )
    expect(detail).toContain('6')
  })
})

async function makeAgent({ orgId }: Client): Promise<string> {
  const agent = { name: 'Ben', email: 'ben@acme.example', role: 'agent' as const }
  return (await createAgent(bellhop.deps, orgId, agent)).id
}
