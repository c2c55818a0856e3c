import { afterAll, describe, expect, test } from 'bun:test'
import { and, eq } from 'drizzle-orm'
import { SignJWT } from 'jose'
import { upsertCustomer } from '../../server/customers/customers.ts'
import { customers } from '../../server/database/tables/customers.ts'
import { events } from '../../server/database/tables/events.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { visitors } from '../../server/database/tables/widgets.ts'
import { openingAt } from '../../server/tickets/opening-hours.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { openWidget, type TestWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const DAY_MS = 86_400_000
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
const { read } = bellhop.deps.database
afterAll(() => bellhop.stop())

async function shop(settings = {}): Promise<TestWidget> {
  const { orgId } = await bellhop.organization()
  return openWidget(bellhop, orgId, settings)
}

function signed(widget: TestWidget, claims: Record<string, unknown>): Promise<string> {
  const exp = Math.floor(clock.now() / 1_000) + 600
  return new SignJWT({ exp, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(widget.identitySecret))
}

async function rowOf(id: string) {
  const [row] = await read.select().from(visitors).where(eq(visitors.id, id))
  return row
}

async function customerOfTicket(id: string) {
  const [found] = await read
    .select({ id: customers.id, name: customers.name, email: customers.email })
    .from(tickets)
    .innerJoin(customers, eq(customers.id, tickets.customerId))
    .where(eq(tickets.id, id))
  return found
}

describe('a visitor who is not signed in', () => {
  test('gets a token of which only the hash is stored', async () => {
    const widget = await shop()
    const page = await widget.visit(
      { name: ' Bo ', email: 'bo@example.com', page: { url: 'https://shop.example/a', title: 'A' } },
      { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0' },
    )
    expect(page.token).toMatch(/^bellhop_vt_[\w-]{40}$/)
    const row = await rowOf(page.id)
    expect(JSON.stringify(row)).not.toContain(page.token.slice(-20))
    expect(row).toMatchObject({
      typedName: 'Bo',
      typedEmail: 'bo@example.com',
      userId: null,
      browser: 'Firefox on Windows',
      pageUrl: 'https://shop.example/a',
    })
    const again = await page.call('POST', '/session', { body: {} })
    expect([again.status, again.json]).toEqual([
      200,
      { visitor: { id: page.id, isVerified: false, name: 'Bo', email: 'bo@example.com' } },
    ])
    expect(bellhop.logLines.join('\n')).not.toContain(page.token)
  })

  test('is a customer without an address, whatever they type', async () => {
    const widget = await shop()
    const { orgId } = widget
    const known = await bellhop.deps.database.write(undefined, (tx) =>
      upsertCustomer(bellhop.deps, tx, orgId, { name: 'Ana Pires', email: 'ana@example.com' }),
    )
    const page = await widget.visit({ name: 'Impostor', email: 'ana@example.com' })
    const { conversation } = await page.say('Hello')
    const customer = await customerOfTicket(conversation.id)
    expect(customer).toMatchObject({ name: 'Impostor', email: null })
    expect(customer?.id).not.toBe(known.id)
    const [unchanged] = await read.select().from(customers).where(eq(customers.id, known.id))
    expect(unchanged?.name).toBe('Ana Pires')
    expect((await page.conversations()).data).toHaveLength(1)
  })

  test('leaves answers to what the widget asks, 16 KiB in all', async () => {
    const fields = [...'abcdefghij'].map((key) => ({ key, label: key, isRequired: false }))
    const widget = await shop({ questions: { name: 'off', email: 'off', fields } })
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    const answers = (keys: string) => Object.fromEntries([...keys].map((key) => [key, key.repeat(2_000)]))
    expect(
      (await page.call('PATCH', '/visitor', { body: { fields: { ...answers('abcd'), x1: 'x' } } })).status,
    ).toBe(200)
    const later = { conversation: conversation.id, body: { fields: { ...answers('efgh'), y: 'y' } } }
    expect((await page.write('Again', later)).status).toBe(201)
    expect((await rowOf(page.id))?.fields).toEqual(answers('abcdefgh'))
    const refused = await page.call('PATCH', '/visitor', { body: { fields: answers('i') } })
    expect([refused.status, refused.json.errors]).toMatchObject([
      400,
      [{ pointer: '/fields', code: 'too_long' }],
    ])
    expect((await rowOf(page.id))?.fields).toEqual(answers('abcdefgh'))
  })

  test('can give a name later, which the customer gets as long as it has none', async () => {
    const order = { key: 'order', label: 'Order', isRequired: false }
    const widget = await shop({ questions: { name: 'off', email: 'off', fields: [order] } })
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    expect((await customerOfTicket(conversation.id))?.name).toBe('Visitor 1')
    const body = { name: 'Bo', email: 'bo@example.com', fields: { order: '17' } }
    const changed = await page.call('PATCH', '/visitor', { body })
    expect(changed.json).toEqual({
      visitor: { id: page.id, isVerified: false, name: 'Bo', email: 'bo@example.com' },
    })
    await page.call('PATCH', '/visitor', { body: { name: 'Bob' } })
    expect((await customerOfTicket(conversation.id))?.name).toBe('Bo')
    const row = await rowOf(page.id)
    expect(row?.fields).toEqual({ order: '17' })
  })

  test('keeps the session while it is used, and for 90 days after', async () => {
    const widget = await shop()
    const page = await widget.visit()
    const idle = await widget.visit()
    for (let turn = 0; turn < 3; turn += 1) {
      clock.jump(80 * DAY_MS)
      expect((await page.call('GET', '/conversations')).status).toBe(200)
      // Saved with those of other visitors.
      clock.advance(61_000)
      await eventually(async () => ((await rowOf(page.id))?.tokenExpiresAt ?? 0) > clock.now() + 89 * DAY_MS)
    }
    expect((await idle.call('GET', '/conversations')).json).toMatchObject({ code: 'invalid_visitor' })
    clock.jump(91 * DAY_MS)
    expect((await page.call('GET', '/conversations')).status).toBe(401)
  })

  test('who signs out leaves a token that opens nothing', async () => {
    const widget = await shop()
    const page = await widget.visit()
    const { conversation } = await page.say('Hello')
    expect((await page.call('DELETE', '/session')).status).toBe(204)
    for (const path of ['/conversations', `/conversations/${conversation.id}`, '/events']) {
      expect([path, (await page.call('GET', path)).status]).toEqual([path, 401])
    }
    const next = await widget.visit()
    expect((await next.conversations()).data).toEqual([])
  })
})

describe('a user whom the website has signed in', () => {
  test('sees their conversations in every browser, and no one else does', async () => {
    const widget = await shop()
    const jwt = await signed(widget, { sub: '42', name: 'Ana Pires', email: 'Ana@example.com' })
    const phone = await widget.visit({ jwt })
    const laptop = await widget.visit({ jwt })
    const { conversation } = await phone.say('From the phone')
    expect((await laptop.conversations()).data).toMatchObject([{ id: conversation.id }])
    await laptop.say('From the laptop', conversation.id)
    const { messages } = await phone.messages(conversation.id)
    expect(messages.map(({ text }) => text)).toEqual(['From the phone', 'From the laptop'])
    const other = await widget.visit({ jwt: await signed(widget, { sub: '43' }) })
    expect((await other.conversations()).data).toEqual([])
    expect((await other.call('GET', `/conversations/${conversation.id}`)).json).toMatchObject({
      code: 'unknown_conversation',
    })
  })

  test('is the customer with the signed address, and renames them', async () => {
    const widget = await shop()
    const { orgId } = widget
    const known = await bellhop.deps.database.write(undefined, (tx) =>
      upsertCustomer(bellhop.deps, tx, orgId, { name: undefined, email: 'ana@example.com' }),
    )
    const jwt = await signed(widget, { sub: '42', name: 'Ana Pires', email: 'ANA@example.com' })
    const page = await widget.visit({ jwt, name: 'Typed', email: 'typed@example.com' })
    const { conversation } = await page.say('Hello')
    const customer = { id: known.id, name: 'Ana Pires', email: 'ana@example.com' }
    expect(await customerOfTicket(conversation.id)).toEqual(customer)
    const married = await signed(widget, { sub: '42', name: 'Ana Silva', email: 'ana@example.com' })
    const again = await page.call('POST', '/session', { body: { jwt: married } })
    expect([again.status, again.json]).toMatchObject([
      200,
      { visitor: { isVerified: true, name: 'Ana Silva' } },
    ])
    expect(await customerOfTicket(conversation.id)).toEqual({ ...customer, name: 'Ana Silva' })
  })

  test('takes along what they wrote before, and the token from before opens nothing', async () => {
    const widget = await shop()
    const before = await widget.visit({ name: 'Bo' })
    const { conversation } = await before.say('Before I signed in')
    const formerCustomer = await customerOfTicket(conversation.id)
    const jwt = await signed(widget, { sub: '42', name: 'Bo Berg', email: 'bo@example.com' })
    const opened = await before.call<{ token: string }>('POST', '/session', { body: { jwt } })
    expect(opened.status).toBe(201)
    const after = widget.page(opened.json.token)
    expect((await after.conversations()).data).toMatchObject([{ id: conversation.id }])
    expect(await customerOfTicket(conversation.id)).toMatchObject({
      name: 'Bo Berg',
      email: 'bo@example.com',
    })
    expect(
      await read
        .select()
        .from(customers)
        .where(eq(customers.id, formerCustomer?.id ?? '')),
    ).toEqual([])
    const isChange = and(eq(events.ticketId, conversation.id), eq(events.type, 'ticket.updated'))
    const logged = await read.select({ changes: events.changes }).from(events).where(isChange)
    expect(logged).toEqual([{ changes: { customer: {} } }])
    expect((await before.call('GET', '/conversations')).status).toBe(401)
    expect((await after.say('And after', conversation.id)).conversation.id).toBe(conversation.id)
  })

  test('is named by an event, also when what they wrote before is deleted', async () => {
    const client = await bellhop.organization()
    const widget = await openWidget(bellhop, client.orgId)
    const before = await widget.visit({ name: 'Bo' })
    const { conversation } = await before.say('Before I signed in')
    const eraser = await client.withKey({ scopes: ['erase'] })
    expect((await eraser.call('DELETE', `/tickets/${conversation.id}`)).status).toBe(204)
    const { json } = await client.call<{ newestEvent: string }>('GET', '/me')
    const jwt = await signed(widget, { sub: '42', name: 'Bo Berg' })
    expect((await before.call('POST', '/session', { body: { jwt } })).status).toBe(201)
    const { data: all } = (await client.call<{ data: { id: string }[] }>('GET', '/customers')).json
    const log = await client.call<object>('GET', `/events?after=${json.newestEvent}`)
    expect(log.json).toMatchObject({
      data: [
        { event: 'customer.updated', customerId: all[0]?.id },
        { event: 'customer.merged', into: all[0]?.id },
      ],
    })
  })

  test('who gives way to another user leaves nothing behind', async () => {
    const widget = await shop()
    const ana = await widget.visit({ jwt: await signed(widget, { sub: 'ana' }) })
    await ana.say('A secret')
    const opened = await ana.call<{ token: string }>('POST', '/session', {
      body: { jwt: await signed(widget, { sub: 'ben' }) },
    })
    expect(opened.status).toBe(201)
    expect((await widget.page(opened.json.token).conversations()).data).toEqual([])
    expect((await ana.call('GET', '/conversations')).status).toBe(401)
  })
})

test('where only signed-in users can write, no one else gets a session', async () => {
  const widget = await shop({ verifiedOnly: true })
  const answer = await widget.call('POST', '/session', { body: { name: 'Bo' } })
  expect([answer.status, answer.json]).toMatchObject([403, { code: 'verification_required' }])
  const page = await widget.visit({ jwt: await signed(widget, { sub: '42' }) })
  expect((await page.write('Hello')).status).toBe(201)
})

test('the settings say whether someone answers now, and can be kept for a minute', async () => {
  // Sunday, March 1, 2026, 09:00 UTC, at the start.
  const monday = { from: '09:00', to: '17:00' }
  const days = [monday, null, null, null, null, null, null]
  const hours = { timeZone: 'America/New_York', days, awayText: 'Back on Monday' }
  const widget = await shop({ hours })
  const answer = await widget.call<{ isOpen: boolean; opensAt: string }>('GET', '/settings')
  expect(answer.headers.get('cache-control')).toBe('max-age=60')
  const { isOpen, opensAt } = answer.json
  expect(answer.json).toMatchObject({ isOpen: false, awayText: 'Back on Monday', maxTextLength: 65_536 })
  const opens = new Date(opensAt)
  expect([isOpen, opens.getUTCDay(), opens.getUTCMinutes()]).toEqual([false, 1, 0])
  const local = opens.toLocaleTimeString('en-GB', { timeZone: 'America/New_York' })
  expect(local).toBe('09:00:00')
  const etag = answer.headers.get('etag') ?? ''
  expect((await widget.call('GET', '/settings', { headers: { 'if-none-match': etag } })).status).toBe(304)
  clock.advance(opens.getTime() - clock.now())
  expect((await widget.call('GET', '/settings')).json).toMatchObject({ isOpen: true, opensAt: null })
})

test('opening hours follow the clock of their zone when it goes forward or back', async () => {
  const day = { from: '02:30', to: '24:00' }
  const hours = { timeZone: 'Europe/Berlin', days: [day, day, day, day, day, day, day], awayText: '' }
  const at = (iso: string) => {
    const { isOpen, opensAt } = openingAt(hours, Date.parse(iso))
    return isOpen || (opensAt && new Date(opensAt).toISOString())
  }
  // 02:30 is 01:30 UTC in winter, and 00:30 in summer.
  expect(at('2026-03-28T01:29:59Z')).toBe('2026-03-28T01:30:00.000Z')
  // On March 29, 2026, 02:30 is skipped: the clock shows 03:30 when it would have been.
  expect(at('2026-03-28T23:00:00Z')).toBe('2026-03-29T01:30:00.000Z')
  expect(at('2026-03-29T01:29:59Z')).toBe('2026-03-29T01:30:00.000Z')
  expect(at('2026-03-29T21:59:59Z')).toBe(true)
  expect(at('2026-03-29T22:00:00Z')).toBe('2026-03-30T00:30:00.000Z')
  // On October 25, 2026, 02:30 comes twice: the first one counts, and the day has 25 hours.
  expect(at('2026-10-25T00:29:59Z')).toBe('2026-10-25T00:30:00.000Z')
  expect(at('2026-10-25T01:15:00Z')).toBe(true)
  expect(at('2026-10-25T22:59:59Z')).toBe(true)
  expect(at('2026-10-25T23:00:00Z')).toBe('2026-10-26T01:30:00.000Z')
  // In Beirut the clock goes forward at midnight, which the day before ends with.
  const beirut = {
    ...hours,
    timeZone: 'Asia/Beirut',
    days: hours.days.map(() => ({ from: '00:00', to: '24:00' })),
  }
  for (let minute = -90; minute < 90; minute += 15) {
    expect(openingAt(beirut, Date.parse('2026-03-28T22:00:00Z') + minute * 60_000).isOpen).toBe(true)
  }
})

test('a visitor who never wrote is deleted after 90 days, and one who did is kept without the token', async () => {
  const widget = await shop()
  const [quiet, writer] = [await widget.visit(), await widget.visit()]
  const { conversation } = await writer.say('Hello')
  clock.jump(91 * DAY_MS)
  // After a jump nothing is deleted for an hour.
  await eventually(async () => {
    clock.advance(3_600_000)
    return (await rowOf(quiet.id)) === undefined
  })
  await eventually(async () => (await rowOf(writer.id))?.tokenHash === null)
  expect((await writer.call('GET', '/conversations')).status).toBe(401)
  expect(await customerOfTicket(conversation.id)).toMatchObject({ name: 'Visitor 1' })
})
