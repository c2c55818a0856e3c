import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { CHANNELS } from '../../server/channels/kinds.ts'
import { upsertCustomer } from '../../server/customers/customers.ts'
import { engine } from '../../server/database/columns.ts'
import { DATABASE_FILE } from '../../server/database/open.ts'
import { PLACES, TICKET_STATUSES, tickets } from '../../server/database/tables/tickets.ts'
import { isoTime } from '../../server/dates.ts'
import { recordEvents } from '../../server/events/events.ts'
import { TICKET_SORTS } from '../../server/tickets/list-ranges.ts'
import { listTickets as readList } from '../../server/tickets/list-tickets.ts'
import { AGENT, fillTickets } from '../bench/workspace.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { countersAndRecount } from '../support/counters.ts'
import { type Random, seeded } from '../support/random.ts'
import { longestHold, startSeparateBellhop } from '../support/separate-bellhop.ts'
import { storeTicket } from '../support/stored-ticket.ts'
import {
  changeTicket,
  listTickets,
  makeTicket,
  NO_TICKET,
  problemOf,
  readTicket,
} from '../support/tickets.ts'

const bellhop = await startBellhop({ settings: { BELLHOP_RATE_LIMIT: '1000000' } })
afterAll(() => bellhop.stop())

const TAGS = ['billing', 'vip', 'VIP', 'any', 'b:c', 'Ä b&c=d']
const SORTS = {
  created_desc: ['createdAt', -1],
  created_asc: ['createdAt', 1],
  updated_asc: ['updatedAt', 1],
  updated_desc: ['updatedAt', -1],
  message_desc: ['lastMessageAt', -1],
  waiting: ['waitingOrder', 1],
} as const
const OPERATIONS = 150
const LISTS = 300
const EXTERNAL_ID = 'crm 4711/ä'
/** Wide enough for a slow machine. A scan of the tickets takes longer. */
const MAX_HOLD_MS = 50

describe('any combination of filters', () => {
  test('finds exactly its tickets, in order and with their number, whatever was done to them', async () => {
    const seed = 1_123
    const random = seeded(seed)
    const acme = await bellhop.organization()
    const admin = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Root' })
    const agents = [admin.id]
    for (const name of ['Ben', 'Eva']) agents.push((await signInAgent(bellhop, acme.orgId, { name })).id)
    const office: Office = { acme, admin, agents, ids: [] }
    const { read } = bellhop.deps.database
    const rows = () => read.select().from(tickets).where(eq(tickets.orgId, acme.orgId))
    for (let number = 0; number < OPERATIONS; number += 1) {
      await changeSomething(office, random)
      // The same list again and again, so that a kept one would show.
      const { data } = await listTickets(acme, '?status=open&per_page=100')
      const open = (await rows()).filter(({ status }) => status === 'open').sort(orderOf('created_desc'))
      expect(data.map(factsOf), `seed ${seed}`).toEqual(
        open
          .slice(0, 100)
          .map((row) =>
            factsOf({ ...row, updatedAt: isoTime(row.updatedAt), spam: row.place === PLACES.spam }),
          ),
      )
    }
    await disableAgent(bellhop.deps, acme.orgId, agents[2] ?? '')
    const { customer } = await readTicket(acme, office.ids[0] ?? '')
    await done(admin.call('DELETE', `/console/customers/${customer.userId}`))

    await nameElsewhere(acme.orgId, office.ids[1] ?? '')
    const all = await rows()
    const { kept, counted } = await countersAndRecount(bellhop.deps, acme.orgId)
    expect(kept, `seed ${seed}`).toEqual(counted)
    for (let number = 0; number < LISTS; number += 1) {
      const query = anyQuery(random, agents, all)
      const wanted = all.filter((ticket) => isFound(ticket, query)).sort(orderOf(query.sort))
      const list = await listTickets(acme, `?${new URLSearchParams({ ...query, per_page: '100' })}`)
      const name = `seed ${seed}: ${JSON.stringify(query)}`
      expect(
        list.data.map(({ id }) => id),
        name,
      ).toEqual(wanted.slice(0, 100).map(({ id }) => id))
      expect(list.meta.total, name).toBe(wanted.length)
      for (const { id, spam } of list.data)
        expect(spam).toBe(all.find((one) => one.id === id)?.place === PLACES.spam)
      if (number % 4 > 0) continue
      const inPages = await allPages(acme, { ...query, per_page: '3' })
      expect(inPages, name).toEqual(wanted.map(({ id }) => id))
      const far = await listTickets(acme, `?${new URLSearchParams({ ...query, per_page: '3', page: '4' })}`)
      expect(
        far.data.map(({ id }) => id),
        name,
      ).toEqual(wanted.slice(9, 12).map(({ id }) => id))
    }
    expect(all.filter(({ place }) => place === PLACES.spam).length, `seed ${seed}`).toBeGreaterThan(0)
  })

  test('leaves spam in a list that does not ask about it', async () => {
    const acme = await bellhop.organization()
    const ben = await signInAgent(bellhop, acme.orgId)
    const [junk, good] = [await makeTicket(acme), await makeTicket(acme)]
    await ben.call('PATCH', `/console/tickets/${junk.id}`, { body: { isSpam: true } })
    const idsOf = async (query: string) => (await listTickets(acme, query)).data.map(({ id }) => id)
    expect(await idsOf('')).toEqual([good.id, junk.id])
    expect(await idsOf('?spam=true')).toEqual([junk.id])
    expect(await idsOf('?spam=false')).toEqual([good.id])
    const refused = await acme.call<{ errors: object[] }>('GET', '/tickets?spam=yes')
    expect([refused.status, refused.json.errors]).toEqual([
      400,
      [{ parameter: 'spam', code: 'not_allowed', detail: 'Must be one of: true, false.' }],
    ])
  })
})

describe('times', () => {
  test('are half-open, and need an offset and a day that exists', async () => {
    const acme = await bellhop.organization()
    const at = Date.parse('2026-03-01T09:30:00.000Z')
    const given = { status: 'open', channel: 'api', assignedTo: '' } as const
    const ids: string[] = []
    for (const createdAt of [at - 1, at, at + 1]) {
      ids.push(await storeTicket(bellhop.deps, acme.orgId, { ...given, tags: [], createdAt, updatedAt: at }))
    }
    const found = async (query: string) => (await allPages(acme, parametersIn(query))).toReversed()
    expect(await found('created_since=2026-03-01T09:30:00Z')).toEqual(ids.slice(1))
    expect(await found('created_before=2026-03-01T09:30:00Z')).toEqual(ids.slice(0, 1))
    expect(await found('created_since=2026-03-01T10:30:00%2B01:00')).toEqual(ids.slice(1))
    expect(await found('updated_since=2026-03-01T09:30:00.001Z')).toEqual([])
    for (const time of ['2026-03-01', '2026-03-01T09:30:00', '2026-02-30T09:30:00Z', '1', '']) {
      for (const parameter of ['created_since', 'created_before', 'updated_since']) {
        const query = new URLSearchParams({ [parameter]: time })
        const { errors } = problemOf(await acme.call('GET', `/tickets?${query}`), 400, 'invalid_request')
        expect([time, errors?.[0]?.parameter, errors?.[0]?.code]).toEqual([time, parameter, 'invalid_format'])
      }
    }
  })

  test('continue with the cursor of their own list only', async () => {
    const acme = await bellhop.organization()
    for (let number = 0; number < 3; number += 1) await makeTicket(acme)
    const since = 'created_since=2020-01-01T00:00:00Z&per_page=1'
    const { meta } = await listTickets(acme, `?${since}`)
    expect(meta).toMatchObject({ total: 3, perPage: 1 })
    const other = await acme.call('GET', `/tickets?per_page=1&cursor=${meta.nextCursor}`)
    expect(problemOf(other, 400, 'invalid_request').errors?.[0]?.code).toBe('foreign_cursor')
    expect((await listTickets(acme, `?${since}&cursor=${meta.nextCursor}`)).data).toHaveLength(1)
  })

  test('of the last change find a ticket that changes while it is copied once more', async () => {
    const acme = await bellhop.organization()
    const [first, second] = [await makeTicket(acme), await makeTicket(acme)]
    const query = '?sort=updated_asc&per_page=1'
    const page = await listTickets(acme, query)
    expect(page.data[0]?.id).toBe(first.id)
    await changeTicket(acme, first.id, { status: 'pending' })
    const rest: string[] = []
    for (let cursor = page.meta.nextCursor; cursor !== undefined; ) {
      const next = await listTickets(acme, `${query}&cursor=${cursor}`)
      rest.push(...next.data.map(({ id }) => id))
      cursor = next.meta.nextCursor
    }
    expect(rest).toEqual([second.id, first.id])
  })
})

describe('addresses and ids', () => {
  test('find the tickets of a customer by any of their addresses, and of an agent by theirs', async () => {
    const acme = await bellhop.organization()
    const other = await bellhop.organization('Other')
    const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
    const { id, customerId } = await makeTicket(acme, { customer: { email: 'Ana@Example.com' } })
    await makeTicket(acme, { customer: { email: 'bo@example.com' } })
    await changeTicket(acme, id, { assignedTo: ben.id })
    const total = async (client: Client, query: string) => (await listTickets(client, `?${query}`)).meta.total
    const email = encodeURIComponent(ben.email.toUpperCase())
    for (const query of ['customer=ana@example.COM', `customer=${customerId}`, `assignedTo=${email}`]) {
      expect([query, await total(acme, query), await total(other, query)]).toEqual([query, 1, 0])
    }
    await done(
      ben.call('PATCH', `/console/customers/${customerId}`, {
        body: { emails: ['ana@a.example', 'ana@b.example'] },
      }),
    )
    for (const [query, count] of [
      ['customer=ana@b.example', 1],
      ['customer=ana@example.com', 0],
      ['assignedTo=nobody@example.com', 0],
    ] as const) {
      expect([query, await total(acme, query)]).toEqual([query, count])
    }
  })

  test('a list of ids has those of the organization, and is refused with more than 100', async () => {
    const [acme, other] = [await bellhop.organization(), await bellhop.organization('Other')]
    const [one, two, foreign] = [await makeTicket(acme), await makeTicket(acme), await makeTicket(other)]
    const ids = [two.id, foreign.id, NO_TICKET, 'x', one.id, one.id].join()
    const { data, meta } = await listTickets(acme, `?ids=${ids}&sort=created_asc`)
    expect([data.map(({ id }) => id), meta.total]).toEqual([[one.id, two.id], 2])
    const many = Array.from({ length: 101 }, () => bellhop.deps.newId('tkt')).join()
    const refused = problemOf(await acme.call('GET', `/tickets?ids=${many}`), 400, 'invalid_request')
    expect(refused.errors?.[0]).toMatchObject({ parameter: 'ids', code: 'too_many' })
  })
})

describe('a list that is requested again', () => {
  test('is sent again as it was while nothing has happened, and shows what has', async () => {
    const acme = await bellhop.organization()
    const { deps } = bellhop
    const { id } = await makeTicket(acme, { customer: { name: 'Ana', email: 'ana@example.com' } })
    const other = await bellhop.organization('Other')
    const first = await listTickets(acme, '?per_page=1')
    // Without an event, as nothing in the product changes a ticket.
    await deps.database.write(undefined, async (tx) => {
      await tx.update(tickets).set({ subject: 'Unnoticed' }).where(eq(tickets.id, id))
    })
    expect(await listTickets(acme, '?per_page=1')).toEqual(first)
    expect((await listTickets(acme, '?per_page=2')).data[0]?.subject).toBe('Unnoticed')
    expect((await listTickets(other, '?per_page=1')).data).toEqual([])
    await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'On it.' } })
    expect((await listTickets(acme, '?per_page=1')).data[0]?.subject).toBe('Unnoticed')
    // A visitor of the website can be renamed without an event.
    await deps.database.write(undefined, (tx) =>
      upsertCustomer(deps, tx, acme.orgId, { name: 'Ana Pires', email: 'ana@example.com' }),
    )
    expect((await listTickets(acme, '?per_page=1')).data[0]?.customer.name).toBe('Ana Pires')
  })

  test('has its links each time', async () => {
    const acme = await bellhop.organization()
    for (let number = 0; number < 3; number += 1) await makeTicket(acme)
    const [one, two] = [
      await acme.call('GET', '/tickets?per_page=1&page=2'),
      await acme.call('GET', '/tickets?per_page=1&page=2'),
    ]
    expect(one.headers.get('link')).toContain('rel="prev"')
    expect([two.headers.get('link'), two.text]).toEqual([one.headers.get('link'), one.text])
  })
})

test('no page far into a list is looked for when its client has left', async () => {
  const { orgId } = await bellhop.organization()
  const given = {
    status: 'open',
    channel: 'api',
    assignedTo: '',
    tags: [],
    createdAt: 1,
    updatedAt: 1,
  } as const
  for (let number = 0; number < 3; number += 1) await storeTicket(bellhop.deps, orgId, { ...given, tags: [] })
  const request = { filters: {}, sort: 'created_desc', perPage: 1, page: 2 } as const
  const left = readList(bellhop.deps, orgId, { ...request, signal: AbortSignal.abort() })
  expect(await left.catch((error) => error.code)).toBe('client_disconnected')
  expect((await readList(bellhop.deps, orgId, request)).tickets.length).toBe(1)
})

describe.if(engine === 'sqlite')('of many tickets', () => {
  const MANY = 40_000
  const share = (...parts: number[]) => MANY / parts.reduce((product, part) => product * part)
  // As `fillTickets` makes them: by the number of a ticket modulo 3, 4, 5 and 10.
  const FOUND: [string, number][] = [
    ['status=open&channel=email', Math.round(share(3, 4))],
    ['status=open&tag=vip', Math.floor(share(3, 10))],
    [`channel=email&assignedTo=${AGENT}`, share(4, 5)],
    [`tag=vip&assignedTo=${AGENT}`, 0],
    ['tag=vip&assignedTo=unassigned&channel=email', 0],
    ['spam=false&channel=api', share(4)],
    ['spam=true&status=pending', 0],
  ]

  test('no combination, and no page far into it, holds the event loop', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bellhop-lists-'))
    await using server = await startSeparateBellhop({ BELLHOP_DATA: folder })
    const acme = await server.organization()
    fillTickets({ file: join(folder, DATABASE_FILE), orgId: acme.orgId }, MANY)
    const hold = await longestHold(server, async () => {
      for (const [query, total] of FOUND) {
        for (const sort of Object.keys(SORTS)) {
          const list = await listTickets(acme, `?${query}&sort=${sort}`)
          expect(list.meta.total, query).toBe(total)
        }
      }
      const far = MANY / 2 / 100
      const [before, page] = [far, far + 1].map((number) => listTickets(acme, `?per_page=100&page=${number}`))
      const next = await listTickets(acme, `?per_page=100&cursor=${(await before)?.meta.nextCursor}`)
      expect((await page)?.data).toEqual(next.data)
      const last = await listTickets(acme, `?per_page=100&page=${MANY / 100}&sort=created_asc`)
      const first = await listTickets(acme, '?per_page=100')
      expect(last.data.toReversed()).toEqual(first.data)
    })
    expect(hold).toBeLessThanOrEqual(MAX_HOLD_MS)
    rmSync(folder, { recursive: true })
  })
})

interface Office {
  acme: Client
  admin: SignedInAgent
  agents: string[]
  ids: string[]
}

/** One change as clients and agents make it. */
async function changeSomething({ acme, admin, agents, ids }: Office, random: Random): Promise<void> {
  const some = <T>(values: readonly T[]) => values.filter(() => random(3) === 0)
  const one = <T>(values: readonly T[]) => values[random(values.length)]
  const id = one(ids)
  const kind = id === undefined ? 0 : random(20)
  if (kind < 5) {
    const customer = { email: `c${random(4)}@example.com` }
    ids.push((await makeTicket(acme, { customer, tags: some(TAGS) })).id)
  } else if (kind < 7) {
    // Several share a time: ties are broken by id.
    const at = Date.now() - random(20) * 50_000
    const stored = {
      status: one(TICKET_STATUSES) ?? 'open',
      channel: one(CHANNELS) ?? 'api',
      tags: some(TAGS),
    }
    const times = { createdAt: at, updatedAt: at + random(3) }
    const assignedTo = one([...agents, '']) ?? ''
    const place = random(2) === 0 ? PLACES.spam : PLACES.inbox
    ids.push(await storeTicket(bellhop.deps, acme.orgId, { ...stored, ...times, assignedTo, place }))
  } else if (kind < 12) {
    await changeTicket(acme, id ?? '', {
      ...(random(2) === 0 && { status: one(TICKET_STATUSES) }),
      ...(random(2) === 0 && { assignedTo: one([...agents, null]) }),
      ...(random(2) === 0 && { tags: some(TAGS) }),
    })
  } else if (kind < 14) {
    const items = some(ids).map((each) => ({
      id: each,
      change: { isSpam: random(2) === 0, addTags: some(TAGS), removeTags: some(TAGS) },
    }))
    if (items.length > 0)
      await done(admin.call('POST', '/console/bulk', { body: { items: items.slice(0, 100) } }))
  } else if (kind < 16) {
    await done(admin.call('PATCH', `/console/tickets/${id}`, { body: { isSpam: random(2) === 0 } }))
  } else if (kind === 16)
    await done(acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'On it.' } }))
  else if (kind === 17) {
    await done(admin.call('DELETE', `/console/tickets/${id}`))
    ids.splice(ids.indexOf(id ?? ''), 1)
  } else if (kind === 18) {
    const [from, to] = [one(TAGS), one(TAGS)]
    if (from !== to) await done(admin.call('POST', '/console/tags/rename', { body: { from, to } }))
  } else {
    const email = 'new@example.com'
    // A widget or Telegram conversation belongs to its customer.
    await done(admin.call('POST', `/console/tickets/${id}/customer`, { body: { email } }), [409])
  }
}

async function done(call: Promise<{ status: number; text: string }>, refusals: number[] = []): Promise<void> {
  const { status, text } = await call
  expect(status < 300 || refusals.includes(status), text).toBe(true)
}

interface Query extends Record<string, string> {
  sort: keyof typeof SORTS
}

function parametersIn(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query))
}

/** The ids on all pages. Only the last one has no cursor. */
async function allPages(client: Client, query: Record<string, string>): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { data, meta } = await listTickets(client, `?${new URLSearchParams({ ...query, cursor })}`)
    ids.push(...data.map(({ id }) => id))
    cursor = meta.nextCursor
  }
  return ids
}

/** Gives a ticket an id in another system. */
async function nameElsewhere(orgId: string, id: string): Promise<void> {
  const { deps } = bellhop
  await deps.database.write(orgId, async (tx) => {
    await tx.update(tickets).set({ externalId: EXTERNAL_ID }).where(eq(tickets.id, id))
    recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId: id, createdAt: 1 }])
  })
}

function anyQuery(random: Random, agents: string[], all: Row[]): Query {
  const one = () => all[random(all.length)]
  const times = Array.from({ length: 8 }, () => isoTime(one()?.createdAt ?? 0))
  const further = {
    created_since: times,
    created_before: times,
    updated_since: Array.from({ length: 8 }, () => isoTime(one()?.updatedAt ?? 0)),
    customer: [one()?.customerId ?? '', 'usr_00000000000000000000000000'],
    externalId: [EXTERNAL_ID, 'nothing'],
    ids: [Array.from({ length: 9 }, () => one()?.id ?? '').join(), `${NO_TICKET},x,${one()?.id}`],
  }
  const values = {
    status: TICKET_STATUSES,
    channel: CHANNELS,
    assignedTo: [...agents, 'unassigned', 'any'],
    tag: [...TAGS, 'none'],
    spam: ['true', 'false'],
  }
  const filters = Object.entries(values).flatMap(([name, options]) =>
    random(random(3) === 0 ? 2 : 6) === 0 ? [[name, options[random(options.length)] ?? '']] : [],
  )
  const more = Object.entries(further).flatMap(([name, options]) =>
    random(5) === 0 ? [[name, options[random(options.length)] ?? '']] : [],
  )
  const sorts = TICKET_SORTS
  return { ...Object.fromEntries([...filters, ...more]), sort: sorts[random(sorts.length)] ?? 'created_desc' }
}

function factsOf({ id, assignedTo, tags, spam, updatedAt }: Facts) {
  return [id, assignedTo ?? '', tags, spam, updatedAt]
}

interface Facts {
  id: string
  assignedTo?: string
  tags: string[]
  spam: boolean
  updatedAt: string
}

type Row = typeof tickets.$inferSelect

function isFound(
  ticket: Row,
  { status, channel, assignedTo, tag, spam, customer, externalId, ids, ...times }: Query,
): boolean {
  const agent = assignedTo === 'unassigned' ? '' : assignedTo
  return (
    (status === undefined || ticket.status === status) &&
    (channel === undefined || ticket.channel === channel) &&
    (agent === undefined || ticket.assignedTo === agent) &&
    (tag === undefined || ticket.tags.includes(tag)) &&
    (customer === undefined || ticket.customerId === customer) &&
    (externalId === undefined || ticket.externalId === externalId) &&
    (ids === undefined || ids.split(',').includes(ticket.id)) &&
    ticket.createdAt >= Date.parse(times.created_since ?? '1970-01-01T00:00:00Z') &&
    ticket.createdAt < Date.parse(times.created_before ?? '2999-01-01T00:00:00Z') &&
    ticket.updatedAt >= Date.parse(times.updated_since ?? '1970-01-01T00:00:00Z') &&
    (spam === undefined || String(ticket.place === PLACES.spam) === spam)
  )
}

function orderOf(sort: Query['sort']): (one: Row, other: Row) => number {
  const [field, sign] = SORTS[sort]
  return (one, other) => sign * (one[field] - other[field] || (one.id < other.id ? -1 : 1))
}
