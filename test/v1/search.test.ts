import { afterAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import {
  changeTicket,
  type ListedTicketJson,
  listTickets,
  makeTicket,
  problemOf,
} from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

type Found = ListedTicketJson & { excerpt?: { text: string; marks: [number, number][] } }
interface Page {
  data: Found[]
  meta: { perPage: number; nextCursor?: string; tooBroad?: string }
}

test('finds tickets by the grammar of the inbox, with the words marked in a text around them', async () => {
  const acme = await bellhop.organization()
  const other = await bellhop.organization('Other')
  const message = 'Bom dia 👋 — a Fatura número 7 e o FATURAMENTO estão por pagar.'
  const { id } = await makeTicket(acme, { subject: 'Conta', message, tags: ['billing'] })
  await makeTicket(acme, { message: 'Something else' })
  await makeTicket(other, { message })
  await indexed(bellhop)
  const { data, meta } = await search(acme, 'tag:billing fatura')
  expect([data.map((ticket) => ticket.id), meta]).toEqual([[id], { perPage: 25 }])
  const [{ excerpt, ...ticket } = { excerpt: undefined }] = data
  expect<object | undefined>(ticket).toEqual((await listTickets(acme, '?tag=billing')).data[0])
  const marked = excerpt?.marks.map(([from, to]) => excerpt.text.slice(from, to))
  expect(marked).toEqual(['Fatura', 'FATURAMENTO'])
  expect((await search(acme, 'status:resolved fatura')).data).toEqual([])
  const [bySubject] = (await search(acme, 'conta')).data
  expect([bySubject?.id, bySubject?.excerpt]).toEqual([id, undefined])
})

test('is read in pages, until there is no cursor', async () => {
  const acme = await bellhop.organization()
  const ids: string[] = []
  for (let number = 0; number < 5; number += 1)
    ids.push((await makeTicket(acme, { message: 'Red walnut' })).id)
  await indexed(bellhop)
  for (const q of ['walnut', 'status:open']) {
    const found: string[] = []
    let requests = 0
    for (let cursor: string | undefined = ''; cursor !== undefined; requests += 1) {
      const page: Page = await search(acme, q, { per_page: '2', cursor })
      found.push(...page.data.map(({ id }) => id))
      cursor = page.meta.nextCursor
    }
    expect([found.toSorted(), requests]).toEqual([ids.toSorted(), 3])
  }
  const { meta } = await search(acme, 'walnut', { per_page: '2' })
  const foreign = await acme.call('GET', `/search?q=red&cursor=${meta.nextCursor}`)
  expect(problemOf(foreign, 400, 'invalid_request').errors?.[0]?.code).toBe('foreign_cursor')
})

test('says what is wrong with a search, also one that only an agent can ask', async () => {
  const acme = await bellhop.organization()
  await makeTicket(acme)
  const refused = async (q: string) =>
    problemOf(await acme.call('GET', `/search?${new URLSearchParams({ q })}`), 400, 'invalid_query').detail
  expect(await refused('status:new')).toContain('Try status:open')
  for (const q of ['assigned:me', '-assigned:me', 'is:unread', 'is:draft', 'is:mentioned', 'is:held']) {
    expect(await refused(q)).toBe(
      `${q.replace('-', '')} needs an agent or a program. This key belongs to neither.`,
    )
  }
  expect((await search(acme, 'assigned:none')).data).toHaveLength(1)
  problemOf(await acme.call('GET', '/search'), 400, 'invalid_request')
})

test('notes are searched for keys that may read them alone', async () => {
  const acme = await bellhop.organization()
  const reader = await acme.withKey({ scopes: ['tickets:read'] })
  const ids: string[] = []
  for (let number = 0; number < 4; number += 1) {
    const { id } = await makeTicket(acme, { subject: `Order ${number}`, message: 'Blue walnut' })
    ids.push(id)
    if (number === 3) continue
    const file = await acme.call<{ id: string }>('POST', `/attachments?name=zeppelin.txt`, { raw: 'A file' })
    const note = { text: 'A difficult customer', attachments: [file.json.id] }
    expect((await acme.call('POST', `/tickets/${id}/notes`, { body: note })).status).toBe(201)
  }
  await changeTicket(acme, ids[1] ?? '', { subject: 'Difficult to open' })
  await indexed(bellhop)
  const found = async (client: Client, q: string) => {
    const pages: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: Page = await search(client, q, { per_page: '1', cursor })
      pages.push(...page.data.map(({ id }) => id))
      cursor = page.meta.nextCursor
    }
    return pages.toSorted()
  }
  const [, byMessage = ''] = ids
  for (const q of ['difficult', 'diffic', '"a difficult"', 'zeppelin', 'status:open customer']) {
    expect(await found(acme, q), q).toEqual(ids.slice(0, 3))
  }
  for (const q of ['difficult', 'diffic', 'status:open difficult']) {
    expect(await found(reader, q), q).toEqual([byMessage])
  }
  for (const q of ['"a difficult"', 'zeppelin', 'customer', 'walnut difficult customer']) {
    expect(await found(reader, q), q).toEqual([])
  }
  expect(await found(reader, 'walnut')).toEqual(ids)
  expect(await found(acme, 'walnut -difficult')).toEqual(ids.slice(3))
  expect(await found(reader, 'walnut -difficult')).toEqual(ids.filter((id) => id !== byMessage))
  expect((await search(acme, 'difficult customer')).data[0]?.excerpt?.text).toBe('A difficult customer')
  expect(JSON.stringify(await search(reader, 'difficult'))).not.toContain('A difficult')
})

test('agents and tags can be listed, and addresses only with their scope', async () => {
  const acme = await bellhop.organization()
  await bellhop.organization('Other')
  const reader = await acme.withKey({ scopes: ['tickets:read'] })
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben', role: 'admin' })
  const eva = await signInAgent(bellhop, acme.orgId, { name: 'Eva' })
  await ben.call('POST', `/console/agents/${eva.id}/disable`)
  const shown = [
    { id: ben.id, name: 'Ben', role: 'admin', isDisabled: false },
    { id: eva.id, name: 'Eva', role: 'agent', isDisabled: true },
  ]
  expect((await reader.call('GET', '/agents')).json).toEqual({ data: shown })
  const emails = [ben.email, eva.email]
  expect((await acme.call('GET', '/agents')).json).toEqual({
    data: shown.map((one, place) => ({ ...one, email: emails[place] })),
  })
  const { id } = await makeTicket(acme, { tags: ['vip', 'billing'] })
  await makeTicket(acme, { tags: ['vip'] })
  await changeTicket(acme, id, { status: 'resolved' })
  const tags = [
    { name: 'billing', count: 1 },
    { name: 'vip', count: 2 },
  ]
  expect((await reader.call('GET', '/tags')).json).toEqual({ data: tags })
})

async function search(client: Client, q: string, more: Record<string, string> = {}): Promise<Page> {
  const answer = await client.call<Page>('GET', `/search?${new URLSearchParams({ q, ...more })}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}
