import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAgent } from '../../server/agents/agents.ts'
import { CHANNELS } from '../../server/channels/kinds.ts'
import { TICKET_STATUSES } from '../../server/database/tables/tickets.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { type StoredTicket, storeTicket } from '../support/stored-ticket.ts'
import { changeTicket, type ListJson, listTickets, makeTicket, problemOf } from '../support/tickets.ts'

// Specification, sections 2, 4 and 8: GET /tickets. Pages, cursors and totals are in list-pages.test.ts.

const clock = createManualClock(Date.parse('2026-03-01T09:30:00.000Z'))
const bellhop = await startBellhop({ clock, settings: { BELLHOP_RATE_LIMIT: '1000000' } })
afterAll(() => bellhop.stop())

type Stored = Required<StoredTicket> & { id: string }

describe('an item of the list', () => {
  test('has the fields of the list and no others', async () => {
    const client = await bellhop.organization()
    const agentId = await makeAgent(client)
    const { id } = await makeTicket(client, { tags: ['vip'] })
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
  let agents: string[]
  const stored: Stored[] = []

  beforeAll(async () => {
    client = await bellhop.organization()
    const stranger = await bellhop.organization('Other')
    agents = [await makeAgent(client, 'ben@acme.example'), await makeAgent(client, 'eva@acme.example')]
    for (let number = 0; number < 90; number += 1) {
      const ticket = {
        status: TICKET_STATUSES[number % 3] ?? 'open',
        channel: CHANNELS[(number >> 1) % 4] ?? 'api',
        assignedTo: ['', ...agents][(number * 7) % 3] ?? '',
        tags: [[], ['vip'], ['vip', 'Ä b&c=d'], ['VIP']][(number * 5) % 4] ?? [],
        // Threes share a time of creation, tens a time of change: ties are broken by id.
        createdAt: clock.now() + Math.floor(number / 3) * 1000,
        updatedAt: clock.now() + 100_000 - Math.floor(number / 10) * 1000,
        lastMessageAt: clock.now() + ((number * 11) % 13) * 1000,
        isSpam: false,
        waitingOrder: clock.now() + ((number * 3) % 17) * 1000,
      }
      stored.push({ ...ticket, id: await storeTicket(bellhop.deps, client.orgId, ticket) })
      if (number < 5) await storeTicket(bellhop.deps, stranger.orgId, ticket)
    }
  })

  const orders = {
    created_asc: (one: Stored, other: Stored) =>
      one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
    created_desc: (one: Stored, other: Stored) =>
      other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1),
    updated_desc: (one: Stored, other: Stored) =>
      other.updatedAt - one.updatedAt || (one.id < other.id ? 1 : -1),
    message_desc: (one: Stored, other: Stored) =>
      other.lastMessageAt - one.lastMessageAt || (one.id < other.id ? 1 : -1),
    waiting: (one: Stored, other: Stored) =>
      one.waitingOrder - other.waitingOrder || (one.id < other.id ? -1 : 1),
  }

  test.each([...Object.keys(orders)] as (keyof typeof orders)[])(
    'every combination of filters finds exactly its tickets in the order %s, with their number',
    async (sort) => {
      for (const status of [undefined, ...TICKET_STATUSES]) {
        for (const channel of [undefined, 'email', 'api'] as const) {
          for (const assignedTo of [undefined, 'unassigned', agents[0]]) {
            for (const tag of [undefined, 'vip', 'Ä b&c=d']) {
              const filters = { status, channel, assignedTo, tag }
              const wanted = stored.filter((ticket) => isFound(ticket, filters)).sort(orders[sort])
              const { data, meta } = await listTickets(client, queryOf({ ...filters, sort, per_page: '100' }))
              expect(data.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
              expect(meta).toEqual({ total: wanted.length, page: 1, perPage: 100 })
            }
          }
        }
      }
    },
  )

  test('without a sort order, the newest come first', async () => {
    const { data } = await listTickets(client, '?per_page=90')
    expect(data.map(({ id }) => id)).toEqual(stored.toSorted(orders.created_desc).map(({ id }) => id))
  })

  test('tags tell upper case from lower', async () => {
    const upper = await listTickets(client, '?tag=VIP&per_page=100')
    expect(upper.meta.total).toBe(stored.filter(({ tags }) => tags.includes('VIP')).length)
    expect(new Set(upper.data.flatMap(({ tags }) => tags))).toEqual(new Set(['VIP']))
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
      'updated_asc',
      'not_allowed',
      'Must be one of: created_asc, created_desc, updated_desc, message_desc, waiting.',
    ],
    ['tag', '', 'too_short', 'Must have at least 1 character.'],
    ['tag', 't'.repeat(65), 'too_long', 'Must be at most 64 characters.'],
    ['assignedTo', '', 'too_short', 'Must have at least 1 character.'],
  ])('refuses %s=%s by name', async (parameter, value, code, detail) => {
    const answer = await client.call('GET', `/tickets${queryOf({ [parameter]: value })}`)
    expect(problemOf(answer, 400, 'invalid_request').errors).toEqual([{ parameter, code, detail }])
  })

  test('trims filters like the fields that they match, and refuses what is blank or not encoded', async () => {
    const { data } = await listTickets(client, '?tag=%20vip%20&per_page=100')
    expect(data.map(({ id }) => id)).toEqual(
      (await listTickets(client, '?tag=vip&per_page=100')).data.map(({ id }) => id),
    )
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

function isFound(
  ticket: StoredTicket,
  { status, channel, assignedTo, tag }: Record<string, string | undefined>,
): boolean {
  const agent = assignedTo === 'unassigned' ? '' : assignedTo
  if (status !== undefined && ticket.status !== status) return false
  if (channel !== undefined && ticket.channel !== channel) return false
  if (agent !== undefined && ticket.assignedTo !== agent) return false
  return tag === undefined || ticket.tags.includes(tag)
}

function queryOf(parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return `?${new URLSearchParams(given)}`
}

async function makeAgent(client: Client, email = 'ben@acme.example'): Promise<string> {
  return (await createAgent(bellhop.deps, client.orgId, { name: 'Ben', email, role: 'agent' })).id
}
