import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { type SeparateBellhop, startSeparateBellhop } from '../support/separate-bellhop.ts'
import { openConnection, openConnections } from '../support/sockets.ts'
import { makeTicket, ticketInput } from '../support/tickets.ts'
import { ORIGIN, openWidget } from '../support/visitors.ts'

const KIB = 1024
const BODY_BYTES = 250 * KIB
/** What a caller may have on its way, of bodies of this size. */
const BODIES_PER_CALLER = Math.floor((12 * 1024) / 250)

describe('a body that never comes', () => {
  const clock = createManualClock()
  const started = startBellhop({ clock })
  afterAll(async () => (await started).stop())

  test('is not waited for before the key, the session, the visitor, or the bot is accepted', async () => {
    const bellhop = await started
    const acme = await bellhop.organization()
    const { key } = await openWidget(bellhop, acme.orgId)
    const ben = await signInAgent(bellhop, acme.orgId)
    const foreign = { 'sec-fetch-site': 'same-origin', cookie: `${ben.cookie}x` }
    const refused: [status: number, path: string, headers?: Record<string, string>][] = [
      [401, '/v1/tickets'],
      [401, '/v1/tickets', { authorization: 'Bearer bellhop_sk_guess' }],
      [401, '/v1/attachments?name=a.txt'],
      [401, '/console/saved-replies', foreign],
      [401, `/widget/${key}/files?name=a.txt`, { origin: ORIGIN, authorization: 'Bearer guess' }],
      [403, `/widget/${key}/session`, { origin: 'https://evil.example' }],
      [404, '/telegram/guess', { 'x-telegram-bot-api-secret-token': 'guess' }],
    ]
    for (const [status, path, headers = {}] of refused) {
      using connection = await openConnection(bellhop.url, unfinished(path, headers))
      expect([path, await connection.status()]).toEqual([path, status])
    }
  })

  test('is waited for half a minute with a valid key', async () => {
    const bellhop = await started
    const acme = await bellhop.organization()
    using slow = await openConnection(bellhop.url, unfinished('/v1/tickets', authorization(acme.key)))
    slow.socket.write('{"subject":')
    // Answered after the slow one has been read as far as it came.
    await makeTicket(acme)
    clock.advance(29_000)
    await makeTicket(acme)
    expect(slow.received()).toBe('')
    clock.advance(2_000)
    expect(await slow.status()).toBe(408)
    expect(slow.received()).toContain('"code":"body_timeout"')
    await slow.closed
  })

  test('of one key keeps neither other keys nor small bodies out', async () => {
    const bellhop = await started
    const [acme, globex] = [await bellhop.organization(), await bellhop.organization()]
    const flood = await openConnections(BODIES_PER_CALLER + 20, () =>
      openConnection(bellhop.url, unfinished('/v1/tickets', authorization(acme.key))),
    )
    const answers = flood.map(async (one) => ({ status: await one.status(), text: one.received() }))
    const refusals = await firstOf(answers, 20)
    for (const { status, text } of refusals) {
      expect([status, /"code":"(\w+)"/.exec(text)?.[1]]).toEqual([503, 'too_many_bodies'])
    }
    expect(flood.filter((one) => one.received() === '')).toHaveLength(BODIES_PER_CALLER)
    const big = ticketInput({ message: 'x'.repeat(60_000) })
    expect((await acme.call('POST', '/tickets', { body: big })).status).toBe(503)
    expect((await acme.call('POST', '/tickets', { body: ticketInput() })).status).toBe(201)
    expect((await globex.call('POST', '/tickets', { body: big })).status).toBe(201)
    for (const one of flood) one[Symbol.dispose]()
    await Promise.all(flood.map((one) => one.closed))
    // The server notices the end of each in a turn of its event loop.
    let after = await acme.call('POST', '/tickets', { body: big })
    for (let tries = 0; after.status === 503 && tries < 100; tries += 1) {
      after = await acme.call('POST', '/tickets', { body: big })
    }
    expect(after.status).toBe(201)
  })
})

describe('bytes of requests that never end', () => {
  const started = startSeparateBellhop()
  afterAll(async () => (await started)[Symbol.asyncDispose]())

  test('are not kept: headers end at 16 KiB, and bodies without a key are thrown away', async () => {
    const bellhop = await started
    const acme = await bellhop.organization()
    const before = residentMiB(bellhop)
    const headers = await openConnections(200, () =>
      openConnection(bellhop.url, `GET /v1/tickets HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(2_000_000)}`),
    )
    const bodies = await openConnections(400, (number) =>
      openConnection(
        bellhop.url,
        `${unfinished('/v1/tickets', number % 2 === 0 ? {} : authorization(acme.key))}${'a'.repeat(BODY_BYTES - 1)}`,
      ),
    )
    expect(new Set(await Promise.all(headers.map((one) => one.status())))).toEqual(new Set([431]))
    const refused = await firstOf(
      bodies.map((one) => one.status()),
      bodies.length - BODIES_PER_CALLER,
    )
    expect(new Set(refused)).toEqual(new Set([401, 429, 503]))
    const globex = await bellhop.organization()
    expect((await globex.call('POST', '/tickets', { body: ticketInput() })).status).toBe(201)
    // 800 MB were sent.
    expect(residentMiB(bellhop) - before).toBeLessThan(150)
    for (const one of [...headers, ...bodies]) one[Symbol.dispose]()
  })
})

function unfinished(path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${BODY_BYTES}\r\n${lines.join('')}\r\n`
}

function authorization(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}

/** The first so many to settle. */
function firstOf<T>(promises: Promise<T>[], count: number): Promise<T[]> {
  return new Promise((resolve) => {
    const settled: T[] = []
    for (const promise of promises) {
      void promise.then((value) => {
        settled.push(value)
        if (settled.length === count) resolve([...settled])
      })
    }
  })
}

function residentMiB({ pid }: SeparateBellhop): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
