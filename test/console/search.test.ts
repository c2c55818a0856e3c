import { afterAll, expect, test } from 'bun:test'
import { messages } from '../../server/database/tables/messages.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { indexed } from '../support/search.ts'
import { addNote } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId, { role: 'admin' })

interface List {
  data: { id: string; excerpt?: string }[]
  terms: string[]
}

async function search(q: string, agent = ben): Promise<List> {
  await indexed(bellhop)
  const answer = await agent.call<List>('GET', `/console/tickets?q=${encodeURIComponent(q)}`)
  expect(answer.status, `${q}: ${answer.text}`).toBe(200)
  return answer.json
}

async function found(q: string, agent = ben): Promise<string[]> {
  return (await search(q, agent)).data.map(({ id }) => id)
}

async function ticket(subject: string, message: string, name = 'Ana Pires', email = 'ana@example.com') {
  return (await makeTicket(acme, { subject, message, customer: { name, email } })).id
}

test('words are found anywhere, also spread over subject, message and customer', async () => {
  const id = await ticket(
    'Broken kettle',
    'It leaks at the spout.',
    'Quentin Zola',
    'quentin.zola@corp.example',
  )
  for (const q of ['kettle', 'spout', 'quentin', 'zola kettle spout', 'KETTLE', 'corp']) {
    expect(await found(q), q).toEqual([id])
  }
  expect(await found('kettle teapot')).toEqual([])
})

test('the last word may be incomplete, the others not', async () => {
  const id = await ticket('Wobbling wardrobe', 'One leg is shorter.')
  for (const q of ['wo', 'wob', 'wobbling war', 'wardrobe wobb']) expect(await found(q), q).toContain(id)
  expect(await found('wobb wardrobe')).toEqual([])
  expect(await found('"wobb"')).toEqual([])
})

test('words in quotes are next to each other', async () => {
  const near = await ticket('Order', 'the purple umbrella is late')
  await ticket('Order', 'the umbrella that is purple is late')
  expect(await found('"purple umbrella"')).toEqual([near])
  expect(await found('purple umbrella')).toHaveLength(2)
  expect(await found('"purple umb')).toEqual([near])
})

test('accents, case and the width of letters make no difference', async () => {
  const id = await ticket('Café Ångström', 'Łódź, Straße 5, ﬁnal, Größe', 'José Núñez', 'jose@example.com')
  for (const q of [
    'cafe',
    'CAFÉ',
    'angstrom',
    'lodz',
    'strasse',
    'final',
    'GROSSE',
    'nunez',
    'nu\u0301n\u0303ez',
  ]) {
    expect(await found(q), q).toContain(id)
  }
  const kanji = await ticket('注文', '東京都から注文しました')
  for (const q of ['注文', '京都', '東京都から']) expect(await found(q), q).toContain(kanji)
  expect(await found('都京')).toEqual([])
})

test('an email address is found as a whole and by its parts', async () => {
  const id = await ticket('Hi', 'Hello', 'Vera', 'vera.lind+shop@post.example')
  await ticket('Hi', 'vera and lind have a shop at the post', 'Other', 'other@example.org')
  expect(await found('vera.lind+shop@post.example')).toEqual([id])
  expect(await found('lind+shop@po')).toEqual([id])
})

test('from: searches the customer only', async () => {
  const theirs = await ticket('Hi', 'Hello', 'Wanda Maximoff', 'wanda@hex.example')
  const about = await ticket('Where is Wanda Maximoff?', 'wanda@hex.example', 'Vis', 'vis@hex.example')
  for (const q of [
    'from:wanda',
    'from:"wanda maximoff"',
    'from:wanda@hex.example',
    'from:wanda@he',
    'FROM:MAXI',
  ]) {
    expect(await found(q), q).toEqual([theirs])
  }
  expect(await found('wanda -from:wanda')).toEqual([about])
  expect(await found('-from:wanda maximoff status:open')).toEqual([about])
})

test('a minus excludes tickets with the words, with other words or alone', async () => {
  const card = await ticket('Voucher', 'the gift card is lost')
  const gift = await ticket('Voucher', 'a card for the gift')
  const late = await ticket('Voucher', 'arrived late, a giftless day')
  expect(await found('voucher -card')).toEqual([late])
  expect(await found('voucher -"gift card"')).toEqual([late, gift])
  expect(await found('-lost -late voucher')).toEqual([gift])
  expect(await found('voucher -LÔST')).toEqual([late, gift])
  // Only whole words are excluded, also the last one.
  expect(await found('voucher -gift')).toEqual([late])
  expect(await found('-gift voucher')).toEqual([late])
  expect(await found('voucher -"gift"')).toEqual([late])
  for (const q of ['-card', '-"gift card"', '-voucher', 'status:open -voucher', '-colon:voucher']) {
    const list = await search(q)
    expect(list.data.length, q).toBeGreaterThan(0)
    expect(list.terms).toEqual([])
    expect(list.data.map(({ id }) => id)).not.toContain(q === '-colon:voucher' ? '' : card)
  }
  expect(await found('-"gift card" from:ana status:open')).toEqual(expect.arrayContaining([late, gift]))
  expect(await found('voucher -voucher')).toEqual([])
  // The index has no symbols, so there is nothing to exclude.
  expect(await found('voucher -!!!')).toEqual([late, gift, card])
  expect(await found('voucher - card')).toEqual([gift, card])
})

test('excluded tickets are missing from every page and from the count of a view', async () => {
  const ids: string[] = []
  for (let place = 0; place < 6; place += 1) {
    ids.unshift(await ticket('Lamp', place % 2 === 0 ? 'flickers' : 'broken'))
  }
  const wanted = ids.filter((_, place) => place % 2 === 0)
  const q = encodeURIComponent('lamp -flickers')
  const read: string[] = []
  for (let cursor = ''; ; ) {
    await indexed(bellhop)
    const { json } = await ben.call<List & { nextCursor?: string }>(
      'GET',
      `/console/tickets?q=${q}&limit=2${cursor}`,
    )
    read.push(...json.data.map(({ id }) => id))
    if (!json.nextCursor) break
    cursor = `&cursor=${json.nextCursor}`
  }
  expect(read).toEqual(wanted)
  const view = await ben.call<{ id: string }>('POST', '/console/views', {
    body: { name: 'Lamps', query: 'lamp -flickers' },
  })
  const { json } = await ben.call<{ saved: { id: string; count: number }[] }>('GET', '/console/counts')
  expect(json.saved.find(({ id }) => id === view.json.id)?.count).toBe(3)
})

test('new messages and notes are found, and their tickets come first', async () => {
  const older = await ticket('First parcel', 'gravelled')
  const newer = await ticket('Second parcel', 'gravelled')
  expect(await found('gravelled')).toEqual([newer, older])
  await acme.call('POST', `/tickets/${older}/messages`, {
    body: { text: 'We sent a replacement, xylophone.' },
  })
  expect(await found('xylophone')).toEqual([older])
  expect(await found('gravelled')).toEqual([older, newer])
  await addNote(ben, newer, 'Ask the bassoonist.')
  expect(await found('bassoonist')).toEqual([newer])
})

test('a match is shown with the text around it, with the words to mark', async () => {
  const id = await ticket(
    'Long',
    `${'Before it. '.repeat(40)}The Élan vital is here. ${'Behind it. '.repeat(40)}`,
  )
  const list = await search('elan vit status:open')
  expect(list.terms).toEqual(['elan', 'vit'])
  expect(list.data.map((row) => row.id)).toEqual([id])
  // A narrow row shows about thirty characters.
  expect(list.data[0]?.excerpt).toMatch(/^….{0,14}Élan/)
  expect(list.data[0]?.excerpt).toMatch(/^….*The Élan vital is here\. .*…$/)
  expect(list.data[0]?.excerpt).toMatch(/^.{60,180}$/)
})

test('a deleted ticket is no longer found', async () => {
  const id = await ticket('Delete me', 'vanishing')
  expect(await found('vanishing')).toEqual([id])
  expect((await ben.call('DELETE', `/console/tickets/${id}`)).status).toBe(204)
  expect(await found('vanishing')).toEqual([])
})

test('the words of another organization are never found', async () => {
  const other = await bellhop.organization('Other')
  const eve = await signInAgent(bellhop, other.orgId, { name: 'Eve' })
  const word = `\uE000${other.orgId.replace('_', '')}`
  const id = await ticket('Secret', `classified ${word}`)
  expect(await found('classified')).toEqual([id])
  for (const q of ['classified', word, `\uE000${acme.orgId.replace('_', '')}`, 'from:ana', '\uE001ana']) {
    expect(await found(q, eve), q).toEqual([])
  }
})

test('the syntax of the full-text engines is only text', async () => {
  const id = await ticket('Syntax', 'near plain 2 and or not plain')
  for (const q of [
    'near AND plain',
    'plain NOT',
    'OR plain',
    'NEAR(plain, 2)',
    'plain*',
    '(plain',
    'plain")',
    "pl'ain OR 1=1 --",
  ]) {
    const list = await search(q)
    if (q.includes("'")) expect(list.data).toEqual([])
    else
      expect(
        list.data.map((row) => row.id),
        q,
      ).toEqual([id])
  }
  for (const q of [
    '"',
    '""',
    '*',
    '^',
    ':',
    '-',
    '()',
    '{}',
    "'",
    '\\',
    '&|!',
    '<->',
    'text:plain:*',
    '%',
    '…',
    '""""',
  ]) {
    await search(q)
  }
})

test('a search for symbols only finds nothing, in the list and in the count of a view', async () => {
  const id = await ticket('Sale!!!', 'Now — or never 🎉')
  for (const q of ['!!!', '—', '"—"', '"!!', '🎉', 'status:open ???', '"" !']) {
    expect(await found(q), q).toEqual([])
    const view = await ben.call<{ id: string }>('POST', '/console/views', { body: { name: q, query: q } })
    expect(view.status, view.text).toBe(201)
    const { json } = await ben.call<{ saved: { id: string; count: number }[] }>('GET', '/console/counts')
    expect(json.saved.find((one) => one.id === view.json.id)?.count, q).toBe(0)
  }
  // With words, symbols are ignored, and so are empty quotes.
  for (const q of [
    'sale !!!',
    'never —',
    '""',
    '"  "',
    'status:open ""',
    'sale -',
    'sale -🎉',
    'status:open -!!!',
  ]) {
    expect(await found(q), q).toContain(id)
  }
})

test('a search for words can have filters, however common the words are', async () => {
  const ids: string[] = []
  for (let place = 0; place < 8; place += 1) ids.push(await ticket('Ordinary', `tumbleweed number ${place}`))
  await acme.call('PATCH', `/tickets/${ids[2]}`, { body: { status: 'pending', tags: ['odd'] } })
  expect(await found('tumbleweed status:pending')).toEqual([ids[2] ?? ''])
  expect(await found('tumbleweed tag:odd')).toEqual([ids[2] ?? ''])
  expect(await found('tumbleweed -tag:odd')).toHaveLength(7)
  expect(await found('tumbleweed is:spam')).toEqual([])
})

test('a thread of any length is found by its first and its newest messages', async () => {
  const id = await ticket('Endless', 'beginnings')
  const now = Date.now()
  const rows = Array.from({ length: 400 }, (_, place) => ({
    id: bellhop.deps.newId('msg'),
    orgId: acme.orgId,
    ticketId: id,
    role: 'customer' as const,
    text: `middle${place} ${'filling '.repeat(100)}`,
    createdAt: now,
  }))
  await bellhop.deps.database.write(undefined, async (tx) => {
    await tx.insert(messages).values(rows)
  })
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'endings' } })
  for (const q of ['beginnings', 'middle399', 'middle380', 'beginnings endings'])
    expect(await found(q), q).toEqual([id])
  expect(await found('middle5')).toEqual([])
})

test('a ticket is found by its id and by its handle, before tickets that mention it', async () => {
  const id = await ticket('Nameless', 'nothing to see')
  const handle = `#${id.slice(-6)}`
  const speaking = await ticket('About', `See ${handle}, which is ${id}.`)
  for (const q of [id, handle, ` ${id.toUpperCase()} `, handle.toUpperCase()]) {
    expect(await found(q), q).toEqual([id, speaking])
  }
  const pages: string[] = []
  for (let cursor = ''; ; ) {
    const path = `/console/tickets?q=${encodeURIComponent(handle)}&limit=1${cursor}`
    const { json } = await ben.call<List & { nextCursor?: string }>('GET', path)
    pages.push(...json.data.map((row) => row.id))
    if (!json.nextCursor) break
    cursor = `&cursor=${json.nextCursor}`
  }
  expect(pages).toEqual([id, speaking])
  // Both searches look for the same words, but only one of them for a ticket.
  for (const [query, count] of [
    [handle.slice(1), 1],
    [handle, 2],
  ] as const) {
    const body = { name: 'One', query }
    const view = await ben.call<{ id: string }>('POST', '/console/views', { body })
    const { json } = await ben.call<{ saved: { id: string; count: number }[] }>('GET', '/console/counts')
    expect(json.saved.find((one) => one.id === view.json.id)?.count, query).toBe(count)
  }

  expect((await ben.call('PATCH', `/console/tickets/${id}`, { body: { isSpam: true } })).status).toBe(200)
  expect(await found(id)).toEqual([id, speaking])
  expect(await found(`${id} status:open`)).toEqual([speaking])
  expect(await found(`-${handle}`)).not.toContain(speaking)
  const other = await bellhop.organization('Third')
  const eve = await signInAgent(bellhop, other.orgId, { name: 'Eve' })
  for (const q of [id, handle]) expect(await found(q, eve), q).toEqual([])
  expect(await found(`${id.slice(0, -6)}zzzzzz`)).toEqual([])
  await ben.call('DELETE', `/console/tickets/${id}`)
  expect(await found(id)).toEqual([speaking])
})
