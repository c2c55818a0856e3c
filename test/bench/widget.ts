import type { Socket } from 'bun'
import { receiveVisitorMessage } from '../../server/channels/widget/conversations/receive-visitor-message.ts'
import { newVisitorToken, TOKEN_LIFETIME_MS } from '../../server/channels/widget/visitors/visitors.ts'
import { createWidget, type KeyedWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../server/config.ts'
import { visitors } from '../../server/database/tables/widgets.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { readEvents } from '../support/live.ts'
import { signInAgent } from './agent-page.ts'
import { cpuOf, residentMiB, startProduct } from './child.ts'
import { load, rawRequest } from './load.ts'
import { median, type Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const OPEN_VISITORS = 10_000
const ORIGIN = 'https://shop.example'
/** Visitors share addresses, as behind the routers of offices. */
const VISITORS_PER_ADDRESS = 50
const PROXY = { BELLHOP_TRUST_PROXY: '127.0.0.0/8' }
/** Two heartbeats of every stream. */
const WATCHED_MS = 30_000
const PROBE_EVERY_MS = 5
const CONNECTING_AT_ONCE = 200
const READ = { connections: 32, milliseconds: 1_500, status: 200 }

const WRITING_VISITORS = 1_000
const MESSAGES_PER_SECOND = 50
const WRITING_MS = 20_000
/** Each may take 600 messages a minute. */
const WIDGETS = 8

interface BenchVisitor {
  key: string
  token: string
  ticketId: string
  address: string
}

/** Open pages of visitors: memory, how long the event loop is blocked, reads beside them, reconnecting, and messages. */
export async function benchWidget(): Promise<Result[]> {
  return [...(await benchOpenVisitors()), ...(await benchMessages())]
}

async function benchOpenVisitors(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const made = await makeVisitors(workspace, { howMany: OPEN_VISITORS, widgets: 1 })
  const settings = { ...PROXY, PORT: '0' }
  let product = await startProduct(workspace.folder, settings)
  const { port } = product
  const [first] = made
  const read = rawRequest('GET', `/v1/tickets/${first?.ticketId}`, {
    authorization: `Bearer ${workspace.key}`,
  })
  const reads = async () => (await load(port, { ...READ, next: () => read })).perSecond
  await reads()
  const alone = [await reads(), await reads(), await reads()]
  const before = await settledMiB(product.pid)
  let streams = await openStreams(port, made)
  const after = await settledMiB(product.pid)
  const cpuBefore = cpuOf(product.pid)
  const [longest, beats] = await watchFor(port, streams.heard)
  const watchedCpu = cpuOf(product.pid) - cpuBefore
  const beside = [await reads(), await reads(), await reads()]
  await product.stop()
  await streams.ended
  product = await startProduct(workspace.folder, { ...settings, PORT: String(port) })
  const startedAt = performance.now()
  streams = await openStreams(port, made, { after: 0, atOnce: OPEN_VISITORS })
  const reconnectedMs = performance.now() - startedAt
  const reconnectedCpu = cpuOf(product.pid)
  streams.close()
  await product.stop()
  workspace.remove()
  const ratio = median(beside) / median(alone)
  return [
    {
      name: 'Memory of an open visitor',
      measured: ((after - before) * 1024) / OPEN_VISITORS,
      unit: 'KiB',
      target: 12,
      wanted: 'at most',
      detail: `${Math.round(after)} MiB with ${OPEN_VISITORS} open, ${Math.round(before)} MiB without`,
    },
    {
      name: 'Memory of the server with 10,000 open visitors',
      measured: after,
      unit: 'MiB',
      target: 250,
      wanted: 'at most',
      detail: '',
    },
    {
      name: 'Longest wait of a request beside them',
      measured: longest,
      unit: 'ms',
      target: 50,
      wanted: 'at most',
      detail: `${beats} heartbeats in ${WATCHED_MS / 1_000} s, ${seconds(watchedCpu)} of processor time`,
    },
    {
      name: 'GET a ticket beside 10,000 open visitors / without them',
      measured: ratio,
      unit: 'ratio',
      target: 0.8,
      wanted: 'at least',
      detail: `${Math.round(median(beside))} / ${Math.round(median(alone))} per second`,
    },
    {
      name: '10,000 visitors reconnect at once after a restart',
      measured: reconnectedMs,
      unit: 'ms',
      target: 30_000,
      wanted: 'at most',
      detail: `${seconds(reconnectedCpu)} of processor time since the start`,
    },
  ]
}

/** A message of a visitor until the page of an agent gets it, and an answer until it is in the page of the visitor. */
async function benchMessages(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const made = await makeVisitors(workspace, { howMany: WRITING_VISITORS, widgets: WIDGETS })
  const cookie = await signInAgent(workspace)
  const product = await startProduct(workspace.folder, PROXY)
  const base = `http://127.0.0.1:${product.port}`
  const shown = new Map<string, (at: number) => void>()
  const answered = new Map<string, (at: number) => void>()
  const inbox = await fetch(`${base}/console/live`, { headers: { cookie } })
  const readingInbox = readEvents(inbox, (block) => {
    const id = /"message\.sent","ticketId":"(tkt_\w+)"/.exec(block)?.[1] ?? ''
    shown.get(id)?.(performance.now())
  })
  const streams = await openStreams(product.port, made, {
    onData(visitor, text) {
      const marker = /answer (\d+)/.exec(text)?.[1]
      if (marker !== undefined) answered.get(`${visitor.ticketId} ${marker}`)?.(performance.now())
    },
  })
  const [toAgent, toVisitor]: [number[], number[]] = [[], []]
  const cpuBefore = cpuOf(product.pid)
  const running: Promise<void>[] = []
  const startedAt = performance.now()
  for (let number = 0; performance.now() - startedAt < WRITING_MS; number += 1) {
    const visitor = made[number % made.length]
    if (visitor) running.push(exchange(visitor, number))
    const next = startedAt + ((number + 1) * 1_000) / MESSAGES_PER_SECOND
    await Bun.sleep(Math.max(0, next - performance.now()))
  }
  await Promise.all(running)
  const cpu = seconds(cpuOf(product.pid) - cpuBefore)
  streams.close()
  await inbox.body?.cancel().catch(() => {})
  await product.stop()
  await readingInbox
  workspace.remove()
  return [
    latency("A visitor's message to the page of an agent, p95", toAgent, cpu),
    latency("An agent's answer to the page of the visitor, p95", toVisitor, cpu),
  ]

  async function exchange(visitor: BenchVisitor, number: number): Promise<void> {
    const { key, token, ticketId, address } = visitor
    const headers = {
      'content-type': 'application/json',
      origin: ORIGIN,
      authorization: `Bearer ${token}`,
      'x-forwarded-for': address,
    }
    const sentAt = performance.now()
    const atAgent = new Promise<number>((resolve) => shown.set(ticketId, resolve))
    const at = `${base}/widget/${key}/conversations/${ticketId}/messages/bench_${number}_message`
    const sent = await fetch(at, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ text: `Question ${number}` }),
    })
    if (sent.status !== 201) throw new Error(await sent.text())
    toAgent.push((await atAgent) - sentAt)
    shown.delete(ticketId)
    const answeredAt = performance.now()
    const atVisitor = new Promise<number>((resolve) => answered.set(`${ticketId} ${number}`, resolve))
    const reply = await fetch(`${base}/v1/tickets/${ticketId}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: `An answer ${number}.` }),
    })
    if (reply.status !== 201) throw new Error(await reply.text())
    toVisitor.push((await atVisitor) - answeredAt)
    answered.delete(`${ticketId} ${number}`)
  }
}

function latency(name: string, times: number[], cpu: string): Result {
  const sorted = times.sort((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return {
    name,
    measured: at(0.95),
    unit: 'ms',
    target: 500,
    wanted: 'at most',
    detail: `median ${at(0.5).toFixed(0)} ms, ${sorted.length} messages of ${WRITING_VISITORS} visitors at ${MESSAGES_PER_SECOND} a second, ${cpu} of processor time for both ways`,
  }
}

function seconds(microseconds: number): string {
  return `${(microseconds / 1_000_000).toFixed(1)} s`
}

/** Visitors with one conversation each. */
async function makeVisitors(
  { folder, orgId }: Workspace,
  { howMany, widgets }: { howMany: number; widgets: number },
): Promise<BenchVisitor[]> {
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: folder }), { log })
  const made: KeyedWidget[] = []
  for (let index = 0; index < widgets; index += 1) {
    const input = { name: `Widget ${index}`, origins: [ORIGIN] }
    made.push((await createWidget(deps, orgId, input)).widget)
  }
  const all = await Promise.all(
    Array.from({ length: howMany }, (_, index) => makeVisitor(deps, made[index % widgets], index)),
  )
  await deps.database.close()
  return all
}

async function makeVisitor(
  deps: Deps,
  widget: KeyedWidget | undefined,
  index: number,
): Promise<BenchVisitor> {
  if (!widget) throw new Error('There is no widget.')
  const { token, hash: tokenHash } = newVisitorToken(deps)
  const host = Math.floor(index / VISITORS_PER_ADDRESS)
  const address = `10.${Math.floor(host / 65_536)}.${Math.floor(host / 256) % 256}.${host % 256}`
  const now = deps.clock.now()
  const row = {
    id: deps.newId('vis'),
    orgId: widget.orgId,
    widgetId: widget.id,
    tokenHash,
    tokenExpiresAt: now + TOKEN_LIFETIME_MS,
    customerId: null,
    userId: null,
    verifiedName: '',
    verifiedEmail: '',
    typedName: `Visitor ${index}`,
    typedEmail: '',
    fields: {},
    pageUrl: 'https://shop.example/cart',
    pageTitle: 'Your cart',
    browser: 'Firefox on Windows',
    language: 'en',
    timeZone: 'Europe/Lisbon',
    address,
    lastSeenAt: now,
    connectedUntil: null,
    blockedAt: null,
    createdAt: now,
  }
  await deps.database.write(undefined, async (tx) => {
    await tx.insert(visitors).values(row)
  })
  const message = {
    conversation: `bench_${index}_conversation`,
    clientId: `bench_${index}_first`,
    text: 'Hello',
    attachments: [],
    typed: {},
  }
  const { ticketId } = await receiveVisitorMessage(deps, { widget, me: row }, message)
  return { key: widget.key, token, ticketId, address }
}

interface OpenStreams {
  /** Blocks that all streams got so far. */
  heard(): number
  ended: Promise<void>
  close(): void
}

/** Opens a stream for each visitor on a bare socket, and waits until all of them have their first event. */
async function openStreams(
  port: number,
  all: BenchVisitor[],
  {
    after,
    atOnce = CONNECTING_AT_ONCE,
    onData,
  }: { after?: number; atOnce?: number; onData?: (visitor: BenchVisitor, text: string) => void } = {},
): Promise<OpenStreams> {
  const sockets: Socket[] = []
  let heard = 0
  let open = 0
  const { promise: ended, resolve: allEnded } = Promise.withResolvers<void>()

  async function connect(visitor: BenchVisitor): Promise<void> {
    const { key, token, address } = visitor
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let isGreeted = false
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open(socket) {
          open += 1
          const path = `/widget/${key}/events${after === undefined ? '' : `?after=${after}`}`
          socket.write(
            rawRequest('GET', path, {
              origin: ORIGIN,
              authorization: `Bearer ${token}`,
              'x-forwarded-for': address,
            }),
          )
        },
        data(_, chunk) {
          const text = chunk.toString('latin1')
          heard += 1
          if (!isGreeted && /event: (hello|reset)/.test(text)) {
            isGreeted = true
            resolve()
          } else if (!isGreeted && text.startsWith('HTTP/1.1 ') && !text.startsWith('HTTP/1.1 200')) {
            reject(new Error(text))
          }
          onData?.(visitor, text)
        },
        close() {
          // A busy machine may let it wait too long. A page tries again.
          if (!isGreeted) resolve(connect(visitor))
          open -= 1
          if (open === 0) allEnded()
        },
        error: (_, error) => reject(error),
      },
    })
    sockets.push(socket)
    await promise
  }

  for (let start = 0; start < all.length; start += atOnce) {
    await Promise.all(all.slice(start, start + atOnce).map(connect))
  }
  return {
    heard: () => heard,
    ended,
    close: () => {
      for (const socket of sockets) socket.end()
    },
  }
}

/** The longest answer to a small request in that time, and how much the streams heard. */
async function watchFor(port: number, heard: () => number): Promise<[longest: number, heard: number]> {
  const before = heard()
  const until = performance.now() + WATCHED_MS
  let longest = 0
  while (performance.now() < until) {
    const at = performance.now()
    await (await fetch(`http://127.0.0.1:${port}/health/live`)).text()
    longest = Math.max(longest, performance.now() - at)
    await Bun.sleep(PROBE_EVERY_MS)
  }
  return [longest, heard() - before]
}

/** After the garbage of what came before. */
async function settledMiB(pid: number): Promise<number> {
  const measured: number[] = []
  for (let turn = 0; turn < 5; turn += 1) {
    await Bun.sleep(1_000)
    measured.push(residentMiB(pid))
  }
  return median(measured)
}
