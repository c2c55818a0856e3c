import { afterAll, expect, test } from 'bun:test'
import { asc, eq } from 'drizzle-orm'
import { isOriginAllowed } from '../../server/channels/widget/origins.ts'
import { findWidgetByKey } from '../../server/channels/widget/widgets/find-widget.ts'
import { auditEntries } from '../../server/database/tables/audit.ts'
import { widgets } from '../../server/database/tables/widgets.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { openLive } from '../support/live.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

interface Shown {
  id: string
  key: string
  state: string
  detail: string
  origins: string[]
  appearance: { color: string; title: string; greeting: string }
  hours: object | null
  refused: object | null
}
interface WithSecret {
  widget: Shown
  identitySecret: string
}

async function shop(settings: object = {}) {
  const { orgId } = await bellhop.organization('Acme')
  const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  const made = await ana.call<WithSecret>('POST', '/console/widgets', {
    body: { name: 'Shop', origins: ['https://shop.example'], ...settings },
  })
  expect(made.status, made.text).toBe(201)
  const { widget, identitySecret } = made.json
  const at = `/console/widgets/${widget.id}`
  const change = (body: object) => ana.call<Shown>('PATCH', at, { body })
  const read = async () => (await ana.call<Shown>('GET', at)).json
  const stateOf = async (key: string) => (await findWidgetByKey(bellhop.deps, key)).state
  const audited = () =>
    bellhop.deps.database.read
      .select({ action: auditEntries.action, detail: auditEntries.detail })
      .from(auditEntries)
      .where(eq(auditEntries.orgId, orgId))
      .orderBy(asc(auditEntries.id))
  return { orgId, ana, widget, identitySecret, at, change, read, stateOf, audited }
}

test('a new widget has a public key, a snippet and an identity secret that is shown once', async () => {
  const { ana, orgId, widget, identitySecret, at, read } = await shop({ name: ' Shop ' })
  const expected: object = {
    id: expect.stringMatching(/^wgt_/),
    name: 'Shop',
    state: 'active',
    detail: 'Not seen on any website yet.',
    key: expect.stringMatching(/^bellhop_pk_[0-9a-z]{12}_[\w-]{40}$/),
    snippet: `<script async src="${bellhop.url}/widget.js" data-key="${widget.key}"></script>`,
    origins: ['https://shop.example'],
    appearance: {
      title: 'Acme',
      greeting: '',
      color: '#2563eb',
      position: 'right',
      theme: 'auto',
      language: 'auto',
      sound: true,
    },
    questions: { name: 'off', email: 'off', fields: [] },
    hours: null,
    verifiedOnly: false,
    telegramBotId: '',
    previousSecretUntil: null,
    seen: null,
    refused: null,
    createdAt: '2026-03-01T09:00:00.000Z',
    updatedAt: '2026-03-01T09:00:00.000Z',
  }
  expect<object>(widget).toEqual(expected)
  expect<object>(await read()).toEqual(expected)
  const list = await ana.call<{ data: Shown[] }>('GET', '/console/widgets')
  expect<object[]>(list.json.data).toEqual([expected])
  expect(identitySecret).toMatch(/^bellhop_ws_[\w-]{43}$/)
  expect(list.text + (await ana.call('GET', at)).text).not.toContain(identitySecret)
  const [row] = await bellhop.deps.database.read.select().from(widgets).where(eq(widgets.orgId, orgId))
  expect(Buffer.from(row?.identitySecret ?? []).includes(identitySecret)).toBe(false)
  expect(bellhop.deps.encryption.decrypt(row?.identitySecret ?? new Uint8Array(), widget.id)).toBe(
    identitySecret,
  )
})

const HOURS = {
  timeZone: 'Europe/Berlin',
  days: [{ from: '09:00', to: '24:00' }, null, null, null, null, null, null],
  awayText: '',
}
const day = (value: object | null) => ({ ...HOURS, days: [value, null, null, null, null, null, null] })
const field = (given: object = {}) => ({ key: 'order', label: 'Order number', isRequired: false, ...given })

const INVALID: [change: object, pointer: string, code: string][] = [
  [{ name: ' ' }, '/name', 'invalid_name'],
  [{ name: 'x'.repeat(256) }, '/name', 'invalid_name'],
  [{ name: 'two\nlines' }, '/name', 'invalid_name'],
  [{ origins: [] }, '/origins', 'too_few'],
  [{ origins: Array.from({ length: 51 }, (_, n) => `https://s${n}.example`) }, '/origins', 'too_many'],
  [{ origins: ['https://a.example', 'shop'] }, '/origins/1', 'invalid_origin'],
  [{ appearance: { title: '' } }, '/appearance/title', 'invalid_title'],
  [{ appearance: { title: 'x'.repeat(81) } }, '/appearance/title', 'invalid_title'],
  [{ appearance: { color: 'blue' } }, '/appearance/color', 'invalid_color'],
  [{ appearance: { color: '#12345' } }, '/appearance/color', 'invalid_color'],
  [{ appearance: { greeting: 'x'.repeat(501) } }, '/appearance/greeting', 'too_long'],
  [{ appearance: { greeting: 'bell\u0007' } }, '/appearance/greeting', 'invalid_text'],
  [{ appearance: { position: 'top' } }, '/appearance/position', 'not_allowed'],
  [{ appearance: { language: 'it' } }, '/appearance/language', 'not_allowed'],
  [{ questions: { email: 'yes' } }, '/questions/email', 'not_allowed'],
  [
    { questions: { fields: Array.from({ length: 11 }, (_, n) => field({ key: `f${n}` })) } },
    '/questions/fields',
    'too_many',
  ],
  [{ questions: { fields: [field({ key: 'Order' })] } }, '/questions/fields/0/key', 'invalid_key'],
  [{ questions: { fields: [field(), field()] } }, '/questions/fields/1/key', 'key_taken'],
  [{ questions: { fields: [field({ label: ' ' })] } }, '/questions/fields/0/label', 'invalid_label'],
  [{ hours: { ...HOURS, timeZone: 'Berlin' } }, '/hours/timeZone', 'unknown_time_zone'],
  [{ hours: { ...HOURS, timeZone: '+02:00' } }, '/hours/timeZone', 'unknown_time_zone'],
  [{ hours: { ...HOURS, days: [] } }, '/hours/days', 'invalid_hours'],
  [{ hours: day(null) }, '/hours/days', 'invalid_hours'],
  [{ hours: day({ from: '17:00', to: '09:00' }) }, '/hours/days/0', 'invalid_hours'],
  [{ hours: day({ from: '9:00', to: '17:00' }) }, '/hours/days/0', 'invalid_hours'],
  [{ hours: day({ from: '09:00', to: '25:00' }) }, '/hours/days/0', 'invalid_hours'],
  [{ hours: { ...HOURS, awayText: 'x'.repeat(501) } }, '/hours/awayText', 'too_long'],
  [{ color: '#2563eb' }, '/color', 'unknown_field'],
]

test('wrong settings are refused by name, all at once, and change nothing', async () => {
  const { ana, change, read, widget } = await shop()
  for (const [body, pointer, code] of INVALID) {
    const { status, json } = await change(body)
    expect([status, json], JSON.stringify(body).slice(0, 200)).toMatchObject([
      400,
      { code: 'invalid_request', errors: [{ pointer, code }] },
    ])
  }
  const both = await ana.call<{ errors: unknown[] }>('POST', '/console/widgets', {
    body: { name: '', origins: ['*'], appearance: { color: '' } },
  })
  expect([both.status, both.json.errors.length]).toEqual([400, 3])
  expect(await read()).toEqual(widget)
})

/** What is entered, and what is stored; or what is wrong. */
const ORIGINS: [entered: string, result: string | RegExp][] = [
  ['https://example.com', 'https://example.com'],
  [' https://Example.com:443/ ', 'https://example.com'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
  ['http://[::1]:4000', 'http://[::1]:4000'],
  ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
  ['https://*.example.com', 'https://*.example.com'],
  ['https://*.shop.co.uk:8443', 'https://*.shop.co.uk:8443'],
  ['https://*.acme.github.io', 'https://*.acme.github.io'],
  ['http://*.localhost:3000', 'http://*.localhost:3000'],
  ['example.com', /needs https:\/\/ in front/],
  ['https://example.com/shop', /Use https:\/\/example\.com\./],
  ['https://example.com?a', /Use https:\/\/example\.com\./],
  ['*', /would allow every website/],
  ['https://*', /one asterisk/],
  ['https://*.com', /other people's websites/],
  ['https://*.co.uk', /other people's websites/],
  ['https://*.github.io', /other people's websites/],
  ['https://*.192.0.2.1', /other people's websites/],
  ['https://shop.*.com', /one asterisk, at the start/],
  ['https://a@example.com', /isn't the address of a website/],
  ['https://example.com:99999', /isn't the address of a website/],
  ['ftp://example.com', /isn't the address of a website/],
  ['null', /needs https:\/\/ in front/],
  ['', /Write an address such as/],
]

test('origins are stored as browsers send them, and a sentence says what is wrong with others', async () => {
  const { ana, at, change } = await shop()
  for (const [entered, result] of ORIGINS) {
    const answer = await ana.call<{ detail: string; origins: string[] }>('PATCH', at, {
      body: { origins: [entered] },
    })
    if (typeof result === 'string') expect([entered, answer.json.origins]).toEqual([entered, [result]])
    else expect([answer.status, answer.json.detail], entered).toEqual([400, expect.stringMatching(result)])
  }
  const { json } = await change({ origins: ['https://a.example', 'https://A.example/', 'https://b.example'] })
  expect(json.origins).toEqual(['https://a.example', 'https://b.example'])
})

test('an asterisk matches one or more names and nothing else', () => {
  const isAllowed = (origin: string) =>
    isOriginAllowed(['https://*.example.com', 'http://localhost:3000'], origin)
  const allowed = ['https://a.example.com', 'https://A.b.Example.com', 'http://localhost:3000']
  const refused = [
    'https://example.com',
    'https://.example.com',
    'https://evilexample.com',
    'https://a.example.com.evil.example',
    'https://evil.example/.example.com',
    'https://evil@a.example.com',
    'https://a.example.com:8443',
    'http://a.example.com',
    'http://localhost:3001',
    'null',
    '',
  ]
  expect(allowed.filter((origin) => !isAllowed(origin))).toEqual([])
  expect(refused.filter(isAllowed)).toEqual([])
})

test('a change keeps the settings it does not name, reaches open pages, and is audited by the names of the settings', async () => {
  const { ana, at, change, read, audited } = await shop({ appearance: { greeting: 'Hi' } })
  await using page = await openLive(bellhop.url, ana)
  await page.next('hello')
  clock.advance(1_000)
  const { json } = await change({ appearance: { color: ' #AA0000 ', title: 'Acme help' }, hours: HOURS })
  clock.advance(1_000)
  await page.next('changed', ({ type }) => type === 'workspace.changed')
  expect(json).toMatchObject({
    appearance: { color: '#aa0000', title: 'Acme help', greeting: 'Hi' },
    hours: HOURS,
    updatedAt: '2026-03-01T09:00:01.000Z',
  })
  expect((await change({ hours: null })).json.hours).toBeNull()
  const before = await read()
  clock.advance(1_000)
  // Nothing new.
  expect((await change({ appearance: { color: '#aa0000' } })).json).toEqual(before)
  for (const step of ['pause', 'pause', 'resume', 'resume']) await ana.call('POST', `${at}/${step}`)
  await ana.call('DELETE', at)
  const entries = (await audited()).filter(({ action }) => /widget|key/.test(action))
  expect(entries.map(({ action }) => action)).toEqual([
    'api_key.created',
    'api_key.created',
    'widget.created',
    'widget.changed',
    'widget.changed',
    'widget.paused',
    'widget.resumed',
    'api_key.revoked',
    'widget.removed',
  ])
  expect(entries[3]?.detail).toEqual({ fields: ['appearance', 'hours'] })
})

test('a key finds its widget until the widget is paused or removed or the key is revoked or replaced', async () => {
  const { ana, at, widget, stateOf, read } = await shop()
  const { key: secretKey } = await bellhop.organization('Other')
  expect(await stateOf(widget.key)).toBe('active')
  expect(await stateOf(secretKey)).toBe('secret')
  expect(await stateOf(`${secretKey}x`)).toBe('secret')
  expect(await stateOf(`${widget.key}x`)).toBe('unknown')
  expect(await stateOf('')).toBe('unknown')
  const { json: unused } = await ana.call<{ secret: string }>('POST', '/console/keys', {
    body: { name: 'Unused', kind: 'public' },
  })
  expect(await stateOf(unused.secret)).toBe('unknown')

  await ana.call('POST', `${at}/pause`)
  expect([await stateOf(widget.key), (await read()).state]).toEqual(['paused', 'paused'])
  await ana.call('POST', `${at}/resume`)
  expect(await stateOf(widget.key)).toBe('active')

  const { json: replaced } = await ana.call<Shown>('POST', `${at}/key`)
  expect(await stateOf(widget.key)).toBe('revoked')
  expect(await stateOf(replaced.key)).toBe('active')

  const keys = await ana.call<{ data: { id: string; publicKey?: string }[] }>('GET', '/console/keys')
  const own = keys.json.data.find(({ publicKey }) => publicKey === replaced.key)
  await ana.call('DELETE', `/console/keys/${own?.id}`)
  expect(await stateOf(replaced.key)).toBe('revoked')
  expect(await read()).toMatchObject({
    state: 'disabled',
    detail: expect.stringContaining('key was revoked'),
  })

  const { json: newest } = await ana.call<Shown>('POST', `${at}/key`)
  expect([await stateOf(newest.key), newest.state]).toEqual(['active', 'active'])
  await ana.call('DELETE', at)
  expect(await stateOf(newest.key)).toBe('removed')
  expect((await ana.call('GET', at)).status).toBe(404)
})
