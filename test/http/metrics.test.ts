import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pauseMailbox } from '../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { createEndpoint, disableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type Bellhop, type Client, call, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { openOutgoing } from '../support/mail/outgoing.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { longestHold } from '../support/separate-bellhop.ts'
import { openConnection, openConnections } from '../support/sockets.ts'
import { makeTicket, NO_TICKET, problemOf } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

let bellhop: Bellhop
let acme: Client
let receiver: Receiver

beforeAll(async () => {
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() }
  bellhop = await startBellhop({ settings: { ...settings, BELLHOP_LOG: 'debug' } })
  acme = await bellhop.organization()
  receiver = await startReceiver()
})

afterAll(async () => {
  await receiver.stop()
  await bellhop.stop()
})

test('metrics are valid Prometheus text, and every metric has a type', async () => {
  const { status, headers, text } = await metrics()
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const label = '[a-z_]+="(?:[^"\\\\\\n]|\\\\.)*"'
  const sample = new RegExp(
    `^([a-z_]+?)(?:_bucket|_sum|_count)?(?:\\{${label}(?:,${label})*\\})? [0-9.e+-]+$`,
  )
  const typed = new Set<string>()
  for (const line of text.trimEnd().split('\n')) {
    const [, type] = /^# TYPE ([a-z_]+) (?:counter|gauge|histogram)$/.exec(line) ?? []
    if (type) typed.add(type)
    else if (!line.startsWith('# HELP ')) expect(typed.has(sample.exec(line)?.[1] ?? line)).toBe(true)
  }
  for (const name of ['bellhop_database_bytes', 'bellhop_wal_bytes', 'bellhop_event_loop_delay_seconds']) {
    expect(typed).toContain(name)
  }
})

test('requests are counted by route, method, and status, without parts of the URL', async () => {
  const ticket = await makeTicket(acme)
  const before = await values()
  await acme.call('GET', `/tickets/${ticket.id}?x=secret`)
  await acme.call('GET', `/tickets/${ticket.id}`)
  await acme.call('GET', `/tickets/${NO_TICKET}`)
  await acme.call('PUT', '/secret/place')
  await call('GET', `${bellhop.url}/inbox/secret`)
  await call('GET', `${bellhop.url}/settings/secret/place`)
  await call('GET', `${bellhop.url}/secret`)
  await call('GET', `${bellhop.url}/v1/tickets`)
  const after = await values()
  const increase = (labels: string) =>
    after(`bellhop_http_requests_total{${labels}}`) - before(`bellhop_http_requests_total{${labels}}`)
  expect(increase('route="/v1/tickets/:id",method="GET",status="400"')).toBe(1)
  expect(increase('route="/v1/tickets/:id",method="GET",status="200"')).toBe(1)
  expect(increase('route="/v1/tickets/:id",method="GET",status="404"')).toBe(1)
  expect(increase('route="/v1/tickets",method="GET",status="401"')).toBe(1)
  expect(increase('route="unknown",method="PUT",status="404"')).toBe(1)
  expect(increase('route="/inbox/*",method="GET",status="200"')).toBe(1)
  expect(increase('route="/settings/*",method="GET",status="200"')).toBe(1)
  expect(increase('route="unknown",method="GET",status="404"')).toBe(1)
  const labels = 'route="/v1/tickets/:id",method="GET"'
  const count = after(`bellhop_http_request_duration_seconds_count{${labels}}`)
  expect(after(`bellhop_http_request_duration_seconds_bucket{${labels},le="+Inf"}`)).toBe(count)
  expect(count - before(`bellhop_http_request_duration_seconds_count{${labels}}`)).toBe(3)
  expect((await metrics()).text).not.toContain('secret')
})

test('whatever methods are sent, the requests have a bounded number of series', async () => {
  const series = async () =>
    (await metrics()).text.split('\n').filter((line) => line.includes('route="')).length
  const send = async () => {
    for (const method of ['PROPFIND', 'MKCOL', 'LOCK', 'REPORT', 'SEARCH', 'TRACE', 'PUT', 'DELETE']) {
      for (const path of [
        '/v1/tickets',
        '/docs',
        '/docs/api',
        '/console/session',
        '/widget/x/settings',
        '/x',
      ])
        await fetch(bellhop.url + path, { method })
    }
  }
  await fetch(`${bellhop.url}/x`, { method: 'PROPFIND' })
  const before = await series()
  await send()
  // Those of unknown paths with known methods, and of the one session that was ended.
  expect((await series()) - before).toBeLessThan(120)
  const unknown = (await metrics()).text.split('\n').filter((line) => line.includes('method="other"'))
  for (const line of unknown) expect(line).toContain('route="unknown"')
})

test('deliveries are counted by state, attempts by outcome', async () => {
  const input = { url: receiver.url, events: ['ticket.created'] }
  const { endpoint } = await createEndpoint(bellhop.deps, acme.orgId, input)
  receiver.respondWith(() => ({ status: 500 }))
  await makeTicket(acme)
  await receiver.next()
  await eventually(async () => (await values())('bellhop_delivery_attempts_total{outcome="http_5xx"}') === 1)
  await eventually(async () => (await values())('bellhop_deliveries{state="pending"}') === 1)
  await disableEndpoint(bellhop.deps, acme.orgId, endpoint.id)
  const held = await values()
  expect(held('bellhop_deliveries{state="pending"}')).toBe(0)
  expect(held('bellhop_deliveries{state="held"}')).toBe(1)
  expect(held('bellhop_delivery_oldest_due_seconds')).toBe(0)
})

test('only the same machine and full-access secret keys can read metrics', async () => {
  const throughProxy = { 'x-forwarded-for': '203.0.113.9' }
  const metricsWith = (key?: string) =>
    metrics({ ...throughProxy, ...(key && { authorization: `Bearer ${key}` }) })
  problemOf(await metricsWith(), 401, 'unauthorized')
  problemOf(await metricsWith('bellhop_sk_nonsense'), 401, 'unauthorized')
  const [reader, widget] = [
    await acme.withKey({ scopes: ['tickets:read'] }),
    await acme.withKey({ kind: 'public' }),
  ]
  problemOf(await metricsWith(reader.key), 403, 'missing_scope')
  problemOf(await metricsWith(widget.key), 403, 'missing_scope')
  expect((await metricsWith(acme.key)).status).toBe(200)
})

test('rate limits apply to valid and invalid keys, but not to the same machine', async () => {
  const from = (address: string, key: string) =>
    metrics({ 'x-forwarded-for': address, authorization: `Bearer ${key}` })
  const slow = await acme.withKey({ rateLimit: 1 })
  const first = await from('203.0.113.9', slow.key)
  expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([200, '0'])
  problemOf(await from('203.0.113.9', slow.key), 429, 'rate_limited')
  let answer = await from('203.0.113.9', 'bellhop_sk_guess')
  for (let tries = 1; answer.status === 401 && tries < 100; tries += 1) {
    answer = await from('203.0.113.9', 'bellhop_sk_guess')
  }
  problemOf(answer, 429, 'rate_limited')
  expect((await metrics()).status).toBe(200)
})

test('with the log level debug, each request is one log line without its query, body, or key', async () => {
  await acme.call('GET', '/tickets?status=open', { headers: { 'x-request-id': 'look-for-me' } })
  const [line = '', ...more] = bellhop.logLines.filter((one) => one.includes('look-for-me'))
  expect(more).toEqual([])
  expect(JSON.parse(line)).toEqual({
    time: expect.any(String),
    level: 'debug',
    event: 'request',
    requestId: 'look-for-me',
    method: 'GET',
    route: '/v1/tickets',
    status: 200,
    durationMs: expect.any(Number),
  })
})

function metrics(headers: Record<string, string> = {}) {
  return call('GET', `${bellhop.url}/metrics`, { headers })
}

/** Returns a function that reads a sample by its name and labels, or 0 if it doesn't exist yet. */
async function values(url = bellhop.url): Promise<(sample: string) => number> {
  const { text } = await call('GET', `${url}/metrics`)
  const lines = new Map(text.split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), line]))
  return (sample) => Number(lines.get(sample)?.split(' ').at(-1) ?? 0)
}

test('work that holds the event loop is measured by its processor time', async () => {
  // This process is the server, so the test's own work holds it up.
  expect(await longestHold(bellhop, async () => workFor(100))).toBeGreaterThanOrEqual(75)
  const value = await values()
  expect(value('bellhop_event_loop_longest_hold_seconds')).toBeGreaterThan(0.075)
  expect(value('bellhop_event_loop_longest_delay_seconds')).toBeGreaterThan(0.075)
})

test.if(process.platform === 'linux')('open connections count as file descriptors', async () => {
  const before = await values()
  expect(before('process_max_fds')).toBeGreaterThan(before('process_open_fds'))
  const open = await openConnections(50, () => openConnection(bellhop.url, 'GET / HTTP/1.1\r\n'))
  await eventually(async () => (await values())('process_open_fds') >= before('process_open_fds') + 75)
  for (const one of open) one[Symbol.dispose]()
})

function workFor(milliseconds: number): void {
  const from = process.threadCpuUsage()
  for (let used = 0; used < milliseconds; ) {
    const { user, system } = process.threadCpuUsage(from)
    used = (user + system) / 1_000
  }
}

test('mailboxes are counted by state', async () => {
  const { id, orgId } = await createMailbox(bellhop.deps, acme.orgId, newMailbox())
  await pauseMailbox(bellhop.deps, orgId, id)
  const value = await values()
  expect(value('bellhop_mailboxes{state="paused"}')).toBe(1)
  expect(value('bellhop_mailboxes{state="active"}')).toBe(0)
  expect(value('bellhop_mails_waiting')).toBe(0)
})

test('mails are counted by outcome, and the age of the oldest pending one is reported', async () => {
  const ledger = await openLedger(bellhop, acme.orgId, 'metrics@acme.example')
  await ledger.fetched('From: Ana <ana@example.com>\r\nSubject: Hello\r\n\r\nHello.')
  await ledger.fetched('Subject: From nobody\r\n\r\nHello.')
  const value = await values()
  expect(value('bellhop_mails{outcome="message"}')).toBe(1)
  expect(value('bellhop_mails{outcome="quarantined"}')).toBe(1)
  expect(value('bellhop_mails{outcome="pending"}')).toBe(0)
  expect(value('bellhop_mail_oldest_pending_seconds')).toBe(0)
})

test('sends are counted by state, their attempts by outcome', async () => {
  await using outgoing = await openOutgoing({ isConnected: false })
  const { bellhop: sender, ben, smtp } = outgoing
  const sample = async (name: string) => (await values(sender.url))(name)
  const mailboxId = await outgoing.mailbox()
  const ticketId = await outgoing.ticket({ mailboxId })
  smtp.fail({ at: 'recipient', does: { code: 550, text: '5.1.1 No such user' } })
  await outgoing.until(ticketId, await outgoing.reply(ticketId, 'It is refused.'), 'failed')
  expect(await sample('bellhop_send_attempts_total{outcome="refused"}')).toBe(1)
  await outgoing.until(ticketId, await outgoing.reply(ticketId, 'It arrives.'), 'sent')
  expect(await sample('bellhop_send_attempts_total{outcome="sent"}')).toBe(1)
  expect(await sample('bellhop_sends{state="waiting"}')).toBe(0)
  await pauseMailbox(sender.deps, ben.orgId, mailboxId)
  await outgoing.reply(ticketId, 'It waits.')
  await eventually(async () => (await sample('bellhop_sends{state="waiting"}')) === 1)
})

test('the sizes of attachments are added up, those with the same bytes once', async () => {
  const fresh = await startBellhop()
  try {
    const { orgId } = await fresh.organization()
    const ledger = await openLedger(fresh, orgId)
    for (const id of ['one', 'two']) {
      await ledger.fetched(
        `From: ana@example.com\r\nMessage-ID: <${id}@example.com>\r\nMIME-Version: 1.0\r\n` +
          'Content-Type: application/zip\r\nContent-Disposition: attachment; filename="a.zip"\r\n\r\n0123456789',
      )
    }
    expect((await values(fresh.url))('bellhop_attachment_bytes')).toBe(10)
  } finally {
    await fresh.stop()
  }
})
