import { expect } from 'bun:test'
import { type Client, createClient } from '../../release/clients/typescript/src/bellhop.ts'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { readConfig } from '../../server/config.ts'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { PROXIES, startProxy, TRUSTED } from '../docs/proxies.ts'
import {
  LANGUAGES,
  makeReceiver,
  type ReceiverProgram,
  startProgram as startReceiver,
} from '../docs/receivers.ts'
import { testWith } from '../docs/runtimes.ts'
import { makeCertificates, writeCaFile } from '../support/certificates.ts'
import { freshPlace } from '../support/engine.ts'
import { startListening } from '../support/listening.ts'
import { reservePort } from '../support/mail/ports.ts'
import { startProgram } from '../support/program.ts'
import { eventually } from '../support/webhooks.ts'

// `bellhop listen` through nginx, as the guide sets it up, into the guide's receivers of webhooks, while both it and the
// server are killed. LISTEN_EVENTS says how many events there are at least.

const EVENTS = Number(process.env.LISTEN_EVENTS ?? 1_000)
const WRITERS = 4
const PAUSE_MS = 120
const KILLS = ['server', 'listen', 'server', 'listen'] as const
const SPARE = 20
const RETRY_MS = 50
const MAX_TEST_MS = 240_000

testWith(
  ['nginx', ...LANGUAGES.map(({ program }) => program)],
  'every event arrives in order, and every receiver of the guide takes it, whatever was killed',
  async () => {
    await using stage = await openStage()
    const { bellhop, forwarded } = stage
    const write = createWriters(bellhop, await makeSpare(bellhop))
    const { newestEvent: begin } = await bellhop.get('/me')
    await stage.listenAfter(begin)

    let isOver = false
    const writing = Array.from({ length: WRITERS }, async () => {
      while (!isOver) {
        await write()
        await Bun.sleep(Math.random() * 2 * PAUSE_MS)
      }
    })
    const seen = () => new Set(forwarded.map(({ position }) => position)).size
    for (const [place, what] of KILLS.entries()) {
      await eventuallySeen(seen, ((place + 1) * EVENTS) / (KILLS.length + 1))
      await stage.kill(what)
    }
    await eventuallySeen(seen, EVENTS)
    isOver = true
    await Promise.all(writing)

    const logged = await eventsAfter(bellhop, begin)
    await eventually(() => forwarded.at(-1)?.position === logged.at(-1)?.position)
    const positions = forwarded.map(({ position }) => position)
    const repeated = positions.length - new Set(positions).size
    console.log(`${stage.name}: ${describe(logged, forwarded)}, ${repeated} repeated; ${delaysOf(stage)}`)
    expect([...new Set(positions)]).toEqual(logged.map(({ position }) => position))
    // One may have been on its way at each kill of the command.
    expect(repeated).toBeLessThanOrEqual(KILLS.filter((what) => what === 'listen').length)
    expect(forwarded.filter(({ statuses }) => statuses.some((status) => status !== 204))).toEqual([])
    expect(new Set(logged.map(({ event }) => event)).size).toBe(9)
  },
  MAX_TEST_MS,
)

/** For longer than `eventually` waits. */
async function eventuallySeen(seen: () => number, count: number): Promise<void> {
  while (seen() < count) {
    const before = seen()
    await eventually(() => seen() > before)
  }
}

async function eventsAfter(bellhop: Client, begin: string) {
  const events: { position: string; event: string }[] = []
  for (let after = begin; ; ) {
    const { data, meta } = await bellhop.get('/events', { query: { after, limit: 1_000 } })
    events.push(...data)
    if (meta.after === meta.newest) return events
    after = meta.after
  }
}

function describe(logged: { event: string }[], forwarded: Forwarded[]): string {
  const kinds = Object.entries(Object.groupBy(logged, ({ event }) => event))
  const counts = kinds.map(([event, all = []]) => `${all.length} ${event}`)
  return `${logged.length} events (${counts.join(', ')}), ${forwarded.length} forwarded`
}

/** From the time of an event to its first arrival, of all and of those that came while nothing was killed. */
function delaysOf({ forwarded, absences }: Stage): string {
  const firsts = new Map(forwarded.toReversed().map((one) => [one.position, one]))
  const isAbsent = (time: number) => absences.some(([from, to]) => from <= time && time <= to)
  const shown = (of: Forwarded[]) => {
    const delays = of.map(({ createdAt, receivedAt }) => receivedAt - createdAt).sort((a, b) => a - b)
    const at = (share: number) => delays[Math.floor(share * (delays.length - 1))]
    return `${delays.length}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, at most ${at(1)} ms`
  }
  const all = [...firsts.values()]
  const present = all.filter(({ createdAt }) => !isAbsent(createdAt))
  const away = absences.map(([from, to]) => to - from)
  return `all ${shown(all)}; with both ends there ${shown(present)}; away for ${away.join(', ')} ms`
}

/** What is deleted or merged away later: an event about it would have no body anymore. */
async function makeSpare(bellhop: Client) {
  const customers: string[] = []
  const tickets: string[] = []
  for (let number = 0; number < 2 * SPARE; number += 1) {
    const params = { externalId: `spare-${number}` }
    const body = { name: 'Ana' }
    customers.push((await bellhop.put('/customers/external/{externalId}', { params, body })).id)
  }
  for (let number = 0; number < SPARE; number += 1)
    tickets.push((await bellhop.post('/tickets', { body: newTicket('spare') })).id)
  return { tickets, deleted: customers.slice(0, SPARE), merged: customers.slice(SPARE) }
}

function newTicket(word: string) {
  const message = 'Grüße \u{1F6CE}\n\n'.repeat(1 + Math.floor(Math.random() * 200))
  return { subject: word, message, customer: { name: 'Ana', email: `${word}@customer.test` } }
}

/** Does the next thing: every kind in turn. */
function createWriters(bellhop: Client, spare: Awaited<ReturnType<typeof makeSpare>>) {
  const tickets: string[] = []
  const customers: string[] = []
  let turn = 0
  const one = (all: string[]) => ({ id: all[Math.floor(Math.random() * all.length)] ?? '' })
  async function ticket(): Promise<void> {
    const { id, customerId = '' } = await bellhop.post('/tickets', { body: newTicket(`word${turn}`) })
    tickets.push(id)
    customers.push(customerId)
  }
  const answer = () =>
    bellhop.post('/tickets/{id}/messages', { params: one(tickets), body: { text: `Answer ${turn}` } })
  const change = () =>
    bellhop.patch('/tickets/{id}', { params: one(tickets), body: { subject: `Changed ${turn}` } })
  const note = () => bellhop.post('/tickets/{id}/notes', { params: one(tickets), body: { text: 'A note' } })
  const customer = () =>
    bellhop.patch('/customers/{id}', { params: one(customers), body: { name: `Ana ${turn}` } })
  const importOne = () => {
    const createdAt = '2020-01-01T00:00:00Z'
    const body = { ...newTicket(`import${turn}`), externalId: `import-${turn}`, createdAt }
    const { message: text, ...imported } = body
    const messages = [{ role: 'customer' as const, text, createdAt }]
    const state = { status: 'resolved' as const, channel: 'api' as const }
    return bellhop.post('/imports', { body: { tickets: [{ ...imported, ...state, messages }] } })
  }
  const [deleted, gone, merged] = [spare.tickets, spare.deleted, spare.merged].map((ids) => ids.values())
  const ofSpare = async (ids: Iterator<string> | undefined, write: (id: string) => Promise<unknown>) => {
    const next = ids?.next()
    if (next && !next.done) await write(next.value)
  }
  const deleteTicket = () => ofSpare(deleted, (id) => bellhop.delete('/tickets/{id}', { params: { id } }))
  const deleteCustomer = () => ofSpare(gone, (id) => bellhop.delete('/customers/{id}', { params: { id } }))
  const merge = () =>
    ofSpare(merged, (from) =>
      bellhop.post('/customers/{id}/merge', { params: one(customers), body: { from } }),
    )
  const all = [
    answer,
    change,
    note,
    customer,
    importOne,
    ticket,
    deleteTicket,
    answer,
    change,
    deleteCustomer,
    merge,
  ]
  return async (): Promise<void> => {
    turn += 1
    await (tickets.length < WRITERS ? ticket() : all[turn % all.length]?.())
  }
}

interface Forwarded {
  position: string
  /** Milliseconds. */
  createdAt: number
  receivedAt: number
  /** Of the guide's receivers. */
  statuses: number[]
}

type Stage = Awaited<ReturnType<typeof openStage>>

/** A server behind nginx, the command, and the guide's receivers behind one that keeps what they were sent. */
async function openStage() {
  const [nginx] = PROXIES
  if (nginx?.name !== 'nginx') throw new Error('nginx is not the first of the guide.')
  const { ca } = await makeCertificates()
  const [port, upstreamPort] = [reservePort(), reservePort()]
  const url = `https://localhost:${port}`
  const place = {
    ...(await freshPlace()),
    PORT: String(upstreamPort),
    BELLHOP_LOG: 'error',
    BELLHOP_URL: url,
    BELLHOP_TRUST_PROXY: TRUSTED,
  }
  const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const newKey = { name: 'Terminal', kind: 'secret' as const, scopes: [...KEY_SCOPES], rateLimit: 1_000_000 }
  const { secret: key } = await createApiKey(deps, orgId, newKey)
  const name = deps.database.engine
  await deps.database.close()
  let server = await startProgram(place)
  const proxy = await startProxy(nginx, port, [`http://127.0.0.1:${upstreamPort}`])

  const files = await Promise.all(LANGUAGES.map(makeReceiver))
  const receivers: ReceiverProgram[] = []
  const forwarded: Forwarded[] = []
  const kept = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const receivedAt = Date.now()
      const body = await request.bytes()
      const { createdAt } = JSON.parse(new TextDecoder().decode(body))
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers.toJSON()
      const statuses = await Promise.all(receivers.map((receiver) => receiver.post(body, headers)))
      const position = headers['x-service-event-position'] ?? ''
      forwarded.push({ position, createdAt: Date.parse(createdAt), receivedAt, statuses })
      return new Response(null, { status: Math.max(...statuses) })
    },
  })
  const listenPlace = { BELLHOP_KEY: key, BELLHOP_URL: url, NODE_EXTRA_CA_CERTS: await writeCaFile() }
  const listenFrom = (position: string) =>
    startListening(listenPlace, ['--forward-to', kept.url.href, '--after', position])
  let stood = ''
  let listening: Awaited<ReturnType<typeof listenFrom>> | undefined
  /** From a kill until what was killed is there again, milliseconds. */
  const absences: [number, number][] = []
  return {
    name,
    bellhop: createClient({ url, key, fetch: (to, init) => untilAnswered(to, { ...init, tls: { ca } }) }),
    forwarded,
    absences,
    async listenAfter(position: string) {
      stood = position
      listening = await listenFrom(position)
      for (const [place, language] of LANGUAGES.entries()) {
        const receiver = await startReceiver(language, files[place] ?? '', listening.secret)
        if (!receiver) throw new Error(`The receiver in ${language.name} did not start.`)
        receivers.push(receiver)
      }
    },
    async kill(what: 'server' | 'listen') {
      const from = Date.now()
      if (what === 'server') {
        await server.end('SIGKILL')
        server = await startProgram(place)
      } else {
        await listening?.end('SIGKILL')
        // As the guide says: the position at the end of the last line.
        const received = listening?.lines().filter((line) => /^2\d\d /.test(line)) ?? []
        stood = received.at(-1)?.split(' ').at(-1) ?? stood
        listening = await listenFrom(stood)
      }
      absences.push([from, Date.now()])
    },
    async [Symbol.asyncDispose]() {
      await listening?.end('SIGKILL')
      await kept.stop(true)
      for (const receiver of receivers) await receiver[Symbol.asyncDispose]()
      await proxy.stop()
      await server.end('SIGKILL')
    },
  }
}

/** Sends again soon while the server is away, so that the writers don't rest. */
async function untilAnswered(url: string, init: BunFetchRequestInit): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, init).catch(() => undefined)
    if (answer && answer.status !== 502) return answer
    await Bun.sleep(RETRY_MS)
  }
}
