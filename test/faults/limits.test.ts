import { afterAll, beforeEach, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { tryUpload } from '../support/uploads.ts'
import { newClientId, openWidget, type TestWidget } from '../support/visitors.ts'

const clock = createManualClock()
const bellhop = await startBellhop({
  clock,
  settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8,::1/128', BELLHOP_ATTACHMENT_LIMIT: '25MB' },
})
afterAll(() => bellhop.stop())
const { orgId } = await bellhop.organization()
let widget: TestWidget
beforeEach(async () => {
  clock.advance(3_600_000)
  widget = await openWidget(bellhop, orgId)
})
const address = (text: string) => ({ 'x-forwarded-for': text })

async function statuses(
  howMany: number,
  call: () => Promise<{ status: number }>,
): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (let turn = 0; turn < howMany; turn += 1) {
    const { status } = await call()
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

test('a visitor can write 20 messages a minute and 200 an hour', async () => {
  const page = await widget.visit()
  const { conversation } = await page.say('Hello')
  const write = () => page.write('More', { conversation: conversation.id })
  expect(await statuses(21, write)).toEqual({ 201: 19, 429: 2 })
  clock.advance(59_000)
  const refused = await write()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  for (let minute = 0; minute < 9; minute += 1) {
    clock.advance(60_000)
    await statuses(20, write)
  }
  clock.advance(60_000)
  const late = await write()
  expect([late.status, Number(late.headers.get('retry-after'))]).toEqual([429, 3_600 - 59 - 600])
})

test('an address can write 60 messages a minute, and an IPv6 network counts as one', async () => {
  const pages = await Promise.all(
    [1, 2, 3, 4].map((last) => widget.visit({}, address(`2001:db8:1:2::${last}`))),
  )
  let written = 0
  for (const page of pages) written += (await statuses(20, () => page.write('Hello')))[201] ?? 0
  expect(written).toBe(60)
  const elsewhere = await widget.visit({}, address('2001:db8:1:3::1'))
  expect((await elsewhere.write('Hello')).status).toBe(201)
})

test('an address gets 30 new sessions a minute, and a widget 600', async () => {
  const open = (from: string) => widget.call('POST', '/session', { body: {}, headers: address(from) })
  expect(await statuses(32, () => open('203.0.113.1'))).toEqual({ 201: 30, 429: 2 })
  const refused = await open('203.0.113.1')
  expect([refused.headers.get('retry-after'), refused.json.code]).toEqual(['60', 'rate_limited'])
  let host = 0
  const fromMany = () => {
    host += 1
    return open(`198.51.${Math.floor(host / 250)}.${(host % 250) + 1}`)
  }
  expect(await statuses(580, fromMany)).toEqual({ 201: 570, 429: 10 })
  clock.advance(60_000)
  expect((await open('203.0.113.1')).status).toBe(201)
})

test('a client cannot choose its address unless it comes through the proxy', async () => {
  const direct = await startBellhop({ clock })
  const { orgId: other } = await direct.organization()
  const unproxied = await openWidget(direct, other)
  let host = 0
  const open = () => {
    host += 1
    return unproxied.call('POST', '/session', { body: {}, headers: address(`198.51.100.${host}`) })
  }
  expect(await statuses(31, open)).toEqual({ 201: 30, 429: 1 })
  await direct.stop()
})

test('files come after a first message, 50 an hour, 100 MB unsent, and none is read beyond the limit', async () => {
  const page = await widget.visit()
  const upload = (raw: string | Uint8Array<ArrayBuffer> = 'A file') =>
    page.call('POST', '/files?name=a.txt', { raw, headers: { 'content-type': 'application/octet-stream' } })
  const early = await upload()
  expect([early.status, early.json.code]).toEqual([403, 'message_first'])
  await page.say('Hello')
  const large = new Uint8Array(25 * 1024 * 1024 + 1)
  expect((await upload(large)).status).toBe(413)
  expect(await statuses(5, () => upload(large.subarray(1)))).toEqual({ 201: 4, 429: 1 })
  const full = await upload(large.subarray(1))
  expect([full.status, full.json.code]).toEqual([429, 'upload_limit'])
  const other = await widget.visit({}, address('203.0.113.7'))
  await other.say('Hello')
  const small = () => other.call('POST', '/files?name=a.txt', { raw: 'A file' })
  expect(await statuses(51, small)).toEqual({ 201: 50, 429: 1 })
  clock.advance(3_600_000)
  expect((await upload()).status).toBe(201)
})

test('what strangers upload in a day is bounded per address, widget, and organization, and sending frees what was unsent', async () => {
  const small = await startBellhop({
    clock,
    settings: { BELLHOP_TRUST_PROXY: '127.0.0.0/8,::1/128', BELLHOP_VISITOR_UPLOADS: '10MB' },
  })
  const { orgId: own } = await small.organization()
  const [shop, blog] = [await openWidget(small, own), await openWidget(small, own)]
  let host = 0
  /** A new visitor, from an address of their own by default, who uploads files of 500 KB and may send each. */
  async function uploads(at: TestWidget, howMany: number, { isSent = true, from = '' } = {}) {
    host += 1
    const page = await at.visit({}, address(from || `198.51.100.${host}`))
    const { conversation } = await page.say('Hello')
    return statuses(howMany, async () => {
      const raw = new Uint8Array(500 * 1024)
      const answer = await page.call<{ id: string }>('POST', '/files?name=a.bin', { raw })
      const body = { attachments: [answer.json.id] }
      if (answer.status === 201 && isSent) await page.write('', { conversation: conversation.id, body })
      return answer
    })
  }
  // An address can have a tenth unsent, and a quarter in all, however many visitors it opens.
  const from = '203.0.113.9'
  expect(await uploads(shop, 3, { isSent: false, from })).toEqual({ 201: 2, 429: 1 })
  expect(await uploads(shop, 1, { from })).toEqual({ 429: 1 })
  const sender = '203.0.113.10'
  expect(await uploads(shop, 4, { from: sender })).toEqual({ 201: 4 })
  expect(await uploads(shop, 2, { from: sender })).toEqual({ 201: 1, 429: 1 })
  // A widget three quarters, and what it leaves is for the others.
  for (let visitor = 0; visitor < 2; visitor += 1) expect(await uploads(shop, 4)).toEqual({ 201: 4 })
  expect(await uploads(shop, 1)).toEqual({ 429: 1 })
  expect(await uploads(blog, 5)).toEqual({ 201: 5 })
  expect(await uploads(blog, 1)).toEqual({ 429: 1 })
  clock.advance(24 * 3_600_000)
  expect(await uploads(shop, 1)).toEqual({ 201: 1 })
  await small.stop()
})

const disk = mountSmallDisk()

test.if(disk !== undefined)('visitors leave a reserve of the disk to everyone else', async () => {
  const data = temporaryFolder('data')
  symlinkSync(disk ?? '', join(data, 'attachments'))
  const small = await startBellhop({ clock, settings: { BELLHOP_DATA: data } })
  const client = await small.organization()
  const page = await (await openWidget(small, client.orgId)).visit()
  await page.say('Hello')
  const upload = (bytes: number) => page.call('POST', '/files?name=a.bin', { raw: new Uint8Array(bytes) })
  const large = await upload(7.8 * 2 ** 20)
  expect([large.status, large.json.code, large.json.detail]).toEqual([
    507,
    'disk_full',
    'The file couldn’t be saved, because the server’s disk is almost full. Nothing changed.',
  ])
  expect((await upload(7 * 2 ** 20)).status).toBe(201)
  expect((await upload(700 * 1024)).status).toBe(507)
  expect((await tryUpload(client, 'a.bin', 'x'.repeat(700 * 1024))).status).toBe(201)
  await small.stop()
})

test('refused bodies count toward the limits of messages and of the address', async () => {
  const page = await widget.visit({}, address('203.0.113.7'))
  const write = (body: object) =>
    page.call('PUT', `/conversations/${newClientId()}/messages/${newClientId()}`, {
      body,
      headers: address('203.0.113.7'),
    })
  expect(await statuses(20, () => write({ text: 1 }))).toEqual({ 400: 20 })
  expect((await write({ text: 'Hello' })).status).toBe(429)
  const signIn = (from: string) =>
    call('POST', `${bellhop.url}/console/session`, {
      body: { email: 'ana@example.com' },
      headers: { ...address(from), 'sec-fetch-site': 'same-origin' },
    })
  expect(await statuses(45, () => signIn('203.0.113.7'))).toEqual({ 400: 40, 429: 5 })
  expect((await signIn('203.0.113.8')).status).toBe(400)
})
