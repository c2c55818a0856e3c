import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { call } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PROGRAM, runProgram, startProgram } from '../support/program.ts'
import { eventually } from '../support/webhooks.ts'

interface Counts {
  views: Record<
    | 'mine'
    | 'unassigned'
    | 'held'
    | 'scheduled'
    | 'open'
    | 'pending'
    | 'resolved'
    | 'failed'
    | 'snoozed'
    | 'suggested'
    | 'spam',
    number
  >
  saved: { count: number }[]
}
/** Of visitors whom the demo's website has not signed in. */
const FROM_STRANGERS = ['Do you ship to Norway?', 'Is there a free trial?']

interface Written {
  attachments?: { name: string }[]
}
interface List {
  data: Record<string, unknown>[]
  nextCursor?: string
}

test('the demo shows a busy inbox after the sign-in it prints, and removes its folder when it stops', async () => {
  const tmp = temporaryFolder('tmp')
  await using demo = await startProgram({ TMPDIR: tmp }, PROGRAM, '.', ['serve', '--demo'])
  const printed = await eventually(() => /password (\S+).*Bearer (\S+)"/s.exec(demo.out()))
  const [, password, key] = printed
  const signedIn = await call('POST', `${demo.url}/console/session`, {
    body: { email: 'ana@parcelbird.example', password },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  expect(signedIn.status).toBe(201)
  const headers = {
    cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '',
    'sec-fetch-site': 'same-origin',
  }
  const get = async <Json>(path: string) =>
    (await call<Json>('GET', `${demo.url}/console${path}`, { headers })).json

  await eventually(async () => (await get<List>('/tickets?q=channel:telegram%20courier')).data.length > 0)
  const { views, saved } = await get<Counts>('/counts')
  // Three views are in the rail only while they have something: one ticket is enough for that.
  const { held, scheduled, suggested, ...others } = views
  expect({ held, scheduled, suggested }).toEqual({ held: 1, scheduled: 1, suggested: 2 })
  // With the conversation that comes in from Telegram once the server runs.
  expect(views.open + views.pending + views.resolved + views.snoozed + views.spam).toBe(303)
  for (const count of Object.values(others)) expect(count).toBeGreaterThan(2)
  expect(saved.some(({ count }) => count > 0)).toBeTrue()
  for (const q of ['nordic', '202 555']) {
    const path = `/customers?${new URLSearchParams({ q })}`
    await eventually(async () => (await get<List>(path)).data.length > 2)
  }
  for (const path of ['/agents', '/keys', '/saved-replies', '/tags', '/audit', '/tickets?q=is:draft']) {
    expect([path, (await get<List>(path)).data.length > 2]).toEqual([path, true])
  }
  expect((await get<List>('/tickets?q=is:failed')).data.length).toBe(views.failed)
  const listed = await call<{ meta: { total: number } }>('GET', `${demo.url}/v1/tickets`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(listed.json.meta.total).toBe(303)
  // The full-text index follows the log.
  const found = await eventually(async () => (await get<List>('/tickets?q=warehouses%20Rotterdam')).data[0])
  expect(found.subject).toStartWith('Moving 3 warehouses')

  // Mails that were really read and stored.
  expect((await get<List>('/mailboxes')).data).toMatchObject([
    { address: 'support@parcelbird.example', state: 'active' },
  ])
  for (const outcome of ['message', 'automatic', 'bounce']) {
    const { data } = await get<List>(`/mails?outcome=${outcome}`)
    expect([outcome, data.length > 0]).toEqual([outcome, true])
    expect(data.every(({ ticketId }) => ticketId !== null)).toBeTrue()
  }
  expect((await get<List>('/mails?outcome=quarantined')).data).toEqual([])
  const [complaint] = (await get<List>('/tickets?q=Second%20broken%20vase')).data
  const { json: ticket } = await call<{ messages: Written[] }>(
    'GET',
    `${demo.url}/v1/tickets/${complaint?.id}`,
    {
      headers: { authorization: `Bearer ${key}` },
    },
  )
  const [written, answered] = ticket.messages
  expect(written?.attachments?.map(({ name }) => name)).toEqual(['crushed-box.png', 'invoice.pdf'])
  expect(answered).toMatchObject({
    role: 'agent',
    format: 'markdown',
    attachments: [{ name: 'claim-form.pdf' }],
  })

  // Answers leave for nowhere, by the mailbox as by the bot.
  for (const channel of ['email', 'telegram']) {
    const [open] = (await get<List>(`/tickets?q=channel:${channel}`)).data
    const sent = await call<{ id: string }>('POST', `${demo.url}/v1/tickets/${open?.id}/messages`, {
      body: { text: 'We are on it.' },
      headers: { authorization: `Bearer ${key}` },
    })
    await eventually(async () => {
      const { timeline } = await get<{ timeline: { id: string; sending?: string }[] }>(`/tickets/${open?.id}`)
      return timeline.find(({ id }) => id === sent.json.id)?.sending === 'sent'
    })
  }
  const [inUse] = (await get<List>('/mailboxes')).data
  expect(inUse).toMatchObject({ state: 'active', health: { failingSince: null } })

  // Two chats with visitors who have not signed in; those before them were signed in by the website.
  const { data: chats } = await get<List>('/tickets?q=channel:widget')
  expect(chats.length).toBeGreaterThan(10)
  const visitorOf = async (subject: string) => {
    const id = chats.find((chat) => chat.subject === subject)?.id
    return get<Record<string, unknown>>(`/tickets/${id}/visitor`)
  }
  expect(await visitorOf('Do you ship to Norway?')).toMatchObject({
    isVerified: false,
    typedName: 'Ingrid',
    answers: [{ label: 'Your shop', text: 'Fjord Keramikk' }],
  })
  const earlier = chats.find(({ subject }) => !FROM_STRANGERS.includes(String(subject)))
  expect(await visitorOf(String(earlier?.subject))).toMatchObject({
    isVerified: true,
    widget: { name: 'Parcelbird website' },
  })

  const { data: endpoints } = await get<List>('/endpoints')
  expect(endpoints).toMatchObject([{ isOn: true }, { isOn: false, offReason: 'failing' }])
  for (const state of ['succeeded', 'failed', 'held']) {
    expect([state, (await get<List>(`/deliveries?state=${state}`)).data.length > 2]).toEqual([state, true])
  }
  await call('POST', `${demo.url}/v1/tickets`, {
    body: { subject: 'Live', message: 'Now.', customer: { email: 'live@example.com' } },
    headers: { authorization: `Bearer ${key}` },
  })
  await eventually(async () => {
    const { data } = await get<List>('/deliveries?limit=2&event=ticket.created&state=succeeded')
    return (
      data[0]?.lastStatus === 200 && String(data[0].createdAt) > new Date(Date.now() - 60_000).toISOString()
    )
  })
  expect(endpoints.every(({ url }) => String(url).startsWith('https://127.0.0.1:'))).toBeTrue()
  expect(await demo.end('SIGTERM')).toBe(0)
  expect(readdirSync(tmp)).toEqual([])
})

test('the demo refuses to start with DATABASE_URL', async () => {
  const place = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PORT: '0' }
  const { code, err } = await runProgram(place, ['serve', '--demo'])
  expect({ code, err }).toEqual({
    code: 1,
    err: 'The demo stores its data in a temporary folder. Start it without DATABASE_URL.\n',
  })
})
