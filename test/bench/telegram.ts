import { createBotApi } from '../../server/channels/telegram/bot-api/bot-api.ts'
import { createBot } from '../../server/channels/telegram/bots/bots.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import {
  startTelegram,
  type TelegramServer,
  type TelegramUser,
} from '../../server/demo/telegram/telegram-server.ts'
import type { TelegramBot } from '../../server/demo/telegram/telegram-state.ts'
import { openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { readEvents } from '../support/live.ts'
import { signInAgent } from './agent-page.ts'
import { cpuOf, residentMiB, startProduct } from './child.ts'
import { median, pairs, type Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const POLLING_BOTS = 100
const CHATS_PER_SECOND = 20
/** Each chat writes now and then, as people do. */
const USERS = 400
const READS_PER_SECOND = 100
/** Rounds with and without, in turn: other programs on the machine disturb both alike. */
const ROUNDS = 5
const ROUND_MS = 6_000
const WATCHED_MS = 10_000

/** Bots that wait for messages: memory; and messages until an agent sees them, with reads of the API beside them. */
export async function benchTelegram(): Promise<Result[]> {
  return [...(await benchPolling()), ...(await benchMessages())]
}

async function benchPolling(): Promise<Result[]> {
  const without = await startedWith(0)
  const none = await settledMiB(without.pid)
  const asked = without.telegram.requests()
  const one = await startedWith(1)
  const single = await settledMiB(one.pid)
  await one.stop()
  const many = await startedWith(POLLING_BOTS)
  const all = await settledMiB(many.pid)
  const cpuBefore = cpuOf(many.pid)
  await Bun.sleep(WATCHED_MS)
  const cpu = (cpuOf(many.pid) - cpuBefore) / 1_000_000
  const polling = many.telegram.connections()
  const [beside, alone] = [await ticketReader(many), await ticketReader(without)]
  const reads = await pairs(
    ROUNDS,
    () => p95Of(beside),
    () => p95Of(alone),
  )
  await Promise.all([many.stop(), without.stop()])
  return [
    {
      name: 'Memory of a bot that polls',
      measured: ((all - single) * 1024) / (POLLING_BOTS - 1),
      unit: 'KiB',
      target: 1024,
      wanted: 'at most',
      detail: `${all.toFixed(0)} MiB with ${POLLING_BOTS} (${polling} connections), ${single.toFixed(0)} with one, ${none.toFixed(0)} without; ${cpu.toFixed(2)} s of processor time in ${WATCHED_MS / 1_000} s`,
    },
    {
      name: 'GET a ticket beside 100 bots that poll / without a bot, p95',
      measured: reads.ratio,
      unit: 'ratio',
      target: 1.2,
      wanted: 'at most',
      detail: `${reads.one.toFixed(2)} / ${reads.other.toFixed(2)} ms at ${READS_PER_SECOND} reads a second`,
    },
    {
      name: 'Requests to Telegram of a server without a bot',
      measured: asked,
      unit: 'per second',
      target: 0,
      wanted: 'at most',
      detail: '',
    },
  ]
}

/** Messages of many chats until the page of an agent gets them, and what reading a ticket takes meanwhile. */
async function benchMessages(): Promise<Result[]> {
  const running = await startedWith(1)
  const { telegram } = running
  const [bot] = telegram.bots
  if (!bot) throw new Error('There is no bot.')
  const users = Array.from({ length: USERS }, (_, index) =>
    telegram.addUser({ first_name: `Customer ${index}` }),
  )
  const inbox = await watchInbox(running)
  // Tickets are there: what is measured are messages, as on any day.
  for (const user of users) user.writes(bot, 'Hello')
  await inbox.until(USERS)
  const tickets = await ticketsByCustomer(running)
  const read = await ticketReader(running)
  const delays: number[] = []
  let cpu = 0
  const reads = await pairs(
    ROUNDS,
    async () => {
      const before = cpuOf(running.pid)
      const writing = write({ users, bot, tickets, inbox })
      const p95 = await p95Of(read)
      delays.push(...(await writing))
      cpu += (cpuOf(running.pid) - before) / 1_000
      return p95
    },
    () => p95Of(read),
  )
  delays.sort((one, other) => one - other)
  await inbox.close()
  await running.stop()
  return [
    {
      name: "A customer's message in Telegram to the page of an agent, p95",
      measured: at(delays, 0.95),
      unit: 'ms',
      target: 1_000,
      wanted: 'at most',
      detail: `median ${at(delays, 0.5).toFixed(0)} ms, ${delays.length} messages of ${USERS} chats at ${CHATS_PER_SECOND} a second, ${(cpu / delays.length).toFixed(1)} ms of processor time for each, with the reads`,
    },
    {
      name: 'GET a ticket beside these messages / without them, p95',
      measured: reads.ratio,
      unit: 'ratio',
      target: 1.2,
      wanted: 'at most',
      detail: `${reads.one.toFixed(2)} / ${reads.other.toFixed(2)} ms at ${READS_PER_SECOND} reads a second`,
    },
  ]
}

/** Returns how long each message took. */
async function write({
  users,
  bot,
  tickets,
  inbox,
}: {
  users: TelegramUser[]
  bot: TelegramBot
  tickets: Map<string, string>
  inbox: WatchedInbox
}): Promise<number[]> {
  const running: Promise<number>[] = []
  const startedAt = performance.now()
  for (let number = 0; performance.now() - startedAt < ROUND_MS; number += 1) {
    const user = users[number % users.length]
    const ticketId = user && tickets.get(user.user.first_name)
    if (!user || !ticketId) throw new Error('A customer has no ticket.')
    const sentAt = performance.now()
    running.push(inbox.next(ticketId).then((toldAt) => toldAt - sentAt))
    user.writes(bot, `Question ${number}`)
    const next = startedAt + ((number + 1) * 1_000) / CHATS_PER_SECOND
    await Bun.sleep(Math.max(0, next - performance.now()))
  }
  return Promise.all(running)
}

interface Running {
  workspace: Workspace
  telegram: TelegramServer
  port: number
  pid: number
  cookie: string
  stop(): Promise<void>
}

/** The product with that many bots, all of them polling. */
async function startedWith(bots: number): Promise<Running> {
  const workspace = await makeWorkspace()
  const telegram = await startTelegram({ clock: systemClock })
  const settings = { BELLHOP_TELEGRAM_API: telegram.root }
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: workspace.folder, ...settings }), { log })
  const api = createBotApi({ clock: systemClock, root: telegram.root })
  for (let index = 0; index < bots; index += 1) {
    const { token } = telegram.addBot({ username: `bench_${index}_bot` })
    await createBot(deps, api, workspace.orgId, { name: `Bot ${index}`, token })
  }
  api.close()
  await deps.database.close()
  const cookie = await signInAgent(workspace)
  const product = await startProduct(workspace.folder, settings)
  while (telegram.requests('getUpdates') < bots) await Bun.sleep(50)
  return {
    workspace,
    telegram,
    port: product.port,
    pid: product.pid,
    cookie,
    async stop() {
      await product.stop()
      await telegram.close()
      workspace.remove()
    },
  }
}

interface WatchedInbox {
  /** When the page gets the next message of a ticket. */
  next(ticketId: string): Promise<number>
  /** Waits until the page has got that many messages. */
  until(count: number): Promise<void>
  close(): Promise<void>
}

/** An open inbox of an agent. */
async function watchInbox({ port, cookie }: Running): Promise<WatchedInbox> {
  const leaving = new AbortController()
  const url = `http://127.0.0.1:${port}/console/live`
  const response = await fetch(url, { headers: { cookie }, signal: leaving.signal })
  const waiting = new Map<string, (at: number) => void>()
  let received = 0
  const reading = readEvents(response, (block) => {
    // A block can tell of several messages.
    for (const [, ticketId = ''] of block.matchAll(/"message\.sent","ticketId":"(tkt_\w+)"/g)) {
      received += 1
      waiting.get(ticketId)?.(performance.now())
    }
  })
  return {
    next: (ticketId) => new Promise((resolve) => waiting.set(ticketId, resolve)),
    async until(count) {
      while (received < count) await Bun.sleep(20)
    },
    async close() {
      leaving.abort()
      await reading
    },
  }
}

/** Ids of the tickets by the names of their customers. */
async function ticketsByCustomer({ port, workspace }: Running): Promise<Map<string, string>> {
  const headers = { authorization: `Bearer ${workspace.key}` }
  const found = new Map<string, string>()
  for (let page = 1; page <= USERS / 100; page += 1) {
    const url = `http://127.0.0.1:${port}/v1/tickets?per_page=100&page=${page}`
    const { data } = (await (await fetch(url, { headers })).json()) as {
      data: { id: string; customer: { name: string } }[]
    }
    for (const { id, customer } of data) found.set(customer.name, id)
  }
  return found
}

/** Reads a ticket of its own. The first reads are not measured. */
async function ticketReader({ port, workspace }: Running): Promise<() => Promise<number>> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/tickets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subject: 'x', message: 'x', customer: { email: 'reader@example.com' } }),
  })
  const { id } = (await response.json()) as { id: string }
  const read = () => timedRead(port, `/v1/tickets/${id}`, workspace.key)
  await p95Of(read)
  return read
}

async function timedRead(port: number, path: string, key: string): Promise<number> {
  const from = performance.now()
  const headers = { authorization: `Bearer ${key}` }
  await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text()
  return performance.now() - from
}

/** Of a round of reads, in milliseconds. */
async function p95Of(read: () => Promise<number>): Promise<number> {
  const times: number[] = []
  const startedAt = performance.now()
  for (let number = 0; performance.now() - startedAt < ROUND_MS; number += 1) {
    times.push(await read())
    const next = startedAt + ((number + 1) * 1_000) / READS_PER_SECOND
    await Bun.sleep(Math.max(0, next - performance.now()))
  }
  return at(
    times.sort((one, other) => one - other),
    0.95,
  )
}

function at(sorted: number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN
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
