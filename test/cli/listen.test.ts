import { afterAll, expect, test } from 'bun:test'
import { verify } from 'bellhop-client'
import { type Client, call, startBellhop } from '../support/bellhop.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import { startListening } from '../support/listening.ts'
import { reservePort } from '../support/mail/ports.ts'
import { runProgram } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startReverseProxy } from '../support/reverse-proxy.ts'
import { startSeparateBellhop } from '../support/separate-bellhop.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// `bellhop listen`: webhooks for a program that is being written, on a machine that the server can't reach.

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

const listen = (client: Client, args: string[], url = bellhop.url) =>
  startListening({ BELLHOP_KEY: client.key, BELLHOP_URL: url }, args)

async function withReceiver(work: (receiver: Receiver) => Promise<void>): Promise<void> {
  const receiver = await startReceiver()
  try {
    await work(receiver)
  } finally {
    await receiver.stop()
  }
}

test('forwards what an endpoint would get, signed with a secret that stays the same for the key', async () => {
  await withReceiver(async (receiver) => {
    const client = await bellhop.organization()
    await makeTicket(client, { subject: 'Before' })
    await using listening = await listen(client, ['--forward-to', receiver.url])
    const { id } = await makeTicket(client)
    const [created, sent] = [await receiver.next(), await receiver.next()]
    expect(await verify(created.body, created.headers, listening.secret)).toMatchObject({
      event: 'ticket.created',
      data: { ticket: { id } },
    })
    const { 'webhook-signature': _, ...specified } = sent.headers
    expect(await verify(sent.body, specified, listening.secret)).toMatchObject({ event: 'message.sent' })
    expect(sent.headers).toMatchObject({
      'x-service-event': 'message.sent',
      'x-service-attempt': '1',
      'x-service-delivery': `listen_${sent.headers['x-service-event-position']}`,
    })
    await eventually(() => listening.lines().length === 2)
    expect(listening.lines()[0]).toMatch(new RegExp(`^200 \\d+ ms {2}ticket\\.created ${id} \\S+$`))
    await using again = await listen(client, ['--print'])
    expect(again.secret).toBe(listening.secret)
    const other = await client.withKey()
    await using ofOther = await listen(other, ['--print'])
    expect(ofOther.secret).not.toBe(listening.secret)
  })
})

test('sends only the chosen events, and tries one again that was not received', async () => {
  await withReceiver(async (receiver) => {
    receiver.respondWith((_, number) => ({ status: number === 0 ? 500 : 204 }))
    const client = await bellhop.organization()
    const chosen = ['--events', 'message.sent', '--forward-to', receiver.url, '--print']
    await using listening = await listen(client, chosen)
    await makeTicket(client)
    const [first, second] = [await receiver.next(), await receiver.next()]
    expect(second.body).toEqual(first.body)
    expect([first, second].map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2'])
    expect(second.headers['x-service-delivery']).toBe(first.headers['x-service-delivery'] ?? '')
    await eventually(() => listening.lines().length === 2)
    expect(listening.lines().map((line) => line.slice(0, 3))).toEqual(['500', '204'])
    expect(listening.printed()).toBe(`${new TextDecoder().decode(first.body)}\n`)
  })
})

test('goes on where it was when the server is killed and comes back', async () => {
  await withReceiver(async (receiver) => {
    const { BELLHOP_DATA = '' } = await (await import('../support/engine.ts')).freshPlace()
    const settings = { BELLHOP_DATA, PORT: String(reservePort()) }
    const first = await startSeparateBellhop(settings)
    const client = await first.organization()
    await using _listening = await listen(client, ['--forward-to', receiver.url], first.url)
    await makeTicket(client, { subject: 'One' })
    await eventually(() => receiver.requests.length === 2)
    await first.end('SIGKILL')
    await using _second = await startSeparateBellhop(settings)
    await makeTicket(client, { subject: 'Two' })
    await eventually(() => receiver.requests.length === 4)
    expect(receiver.requests.map(({ headers }) => headers['x-service-event'])).toEqual([
      'ticket.created',
      'message.sent',
      'ticket.created',
      'message.sent',
    ])
    await first.deps.database.close()
  })
})

test('waits when the server is busy after a lost connection', async () => {
  await withReceiver(async (receiver) => {
    const clock = createManualClock()
    const busy = await startBellhop({ clock })
    const proxy = await startReverseProxy(busy.url)
    using _running = letRun(clock)
    const client = await busy.organization()
    // As many requests as it needs to begin.
    const limited = await client.withKey({ rateLimit: 2 })
    await using _listening = await listen(limited, ['--forward-to', receiver.url], proxy.url)
    proxy.cut()
    await eventually(async () => /status="429".* [1-9]/.test((await call('GET', `${busy.url}/metrics`)).text))
    await makeTicket(client)
    expect(receiver.requests).toEqual([])
    clock.advance(60_000)
    await eventually(() => receiver.requests.length === 2)
    await proxy.stop()
    await busy.stop()
  })
})

test('begins after a position of an earlier line', async () => {
  await withReceiver(async (receiver) => {
    const client = await bellhop.organization()
    await using listening = await listen(client, ['--forward-to', receiver.url])
    await makeTicket(client, { subject: 'One' })
    await makeTicket(client, { subject: 'Two' })
    await eventually(() => listening.lines().length === 4)
    const position = listening.lines()[1]?.split(' ').at(-1) ?? ''
    await using _again = await listen(client, ['--forward-to', receiver.url, '--after', position])
    await eventually(() => receiver.requests.length === 6)
    expect(receiver.requests.slice(4).map(({ body }) => body)).toEqual(
      receiver.requests.slice(2, 4).map(({ body }) => body),
    )
  })
})

const WRONG: [string[], string, number][] = [
  [[], 'Name the receiver with --forward-to, or use --print.', 2],
  [
    ['--forward-to', 'http://hooks.example'],
    '--forward-to must be an https URL, or an http URL of this machine',
    2,
  ],
  [['--forward-to', 'hooks'], '--forward-to must be an https URL', 2],
  [
    ['--print', '--events', 'ticket.exploded'],
    "Option '--events <events>' argument 'ticket.exploded' is invalid",
    2,
  ],
  [['--print', '--after', 'x'], '400 invalid_request', 1],
  [['--print', '--after', 'aaaaaaaaaaaa.1'], '410 events_expired', 1],
]

test.each(WRONG)('with %j it ends with one sentence', async (args, sentence, code) => {
  const { key } = await bellhop.organization()
  const ended = await runProgram({ BELLHOP_KEY: key, BELLHOP_URL: bellhop.url }, ['listen', ...args])
  expect([ended.code, ended.out]).toEqual([code, ''])
  expect(ended.err).toStartWith(sentence)
  expect(ended.err).toMatch(/^[^\n]+\n$/)
})
