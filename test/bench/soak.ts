import { Database } from 'bun:sqlite'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { createBotApi } from '../../server/channels/telegram/bot-api/bot-api.ts'
import { createBot } from '../../server/channels/telegram/bots/bots.ts'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { addMessages } from '../support/add-messages.ts'
import { removeTemporaryFolders } from '../support/folder.ts'
import { startHangingServer } from '../support/hanging-server.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { startSmtpFaults } from '../support/mail/smtp-faults.ts'
import { startTelegram, type TelegramServer } from '../support/telegram-server/telegram-server.ts'
import type { TelegramBot } from '../support/telegram-server/telegram-state.ts'
import { signInAgent } from './agent-page.ts'
import { type Child, residentMiB, startProduct } from './child.ts'
import { startCountingReceiver } from './counting-receiver.ts'
import { median, type Result } from './result.ts'
import { fillTickets, makeWorkspace, type Workspace } from './workspace.ts'

// `bun run bench soak --minutes 10`: the load of several organizations, alone and beside everything that other clients can
// do wrong. The load and the abuse run in processes of their own.

export interface SoakOptions {
  seconds: number
  /** Phases alone and beside the abuse, in turn, because the speed of the machine drifts. */
  rounds: number
  /** Requests of the other organizations in a second. */
  perSecond: number
  /** Of 65 kB, in one ticket. */
  fatMessages: number
  /** Of the organization that abuses the server. */
  tickets: number
  /** Needs root and Dovecot. */
  hasMail: boolean
}

export interface SoakReport {
  /** Of all requests of the other organizations, in milliseconds. */
  p95: { alone: number; beside: number }
  /** The same of each kind of request. */
  p95ByKind: Record<string, { alone: number; beside: number }>
  requests: { alone: number; beside: number }
  /** Requests of the other organizations that weren't answered as they should be, and how often. */
  failures: Record<string, number>
  /** What was acknowledged to them and isn't in the database, or wasn't delivered. */
  lost: Record<string, number>
  /** How much of each there was. */
  acknowledged: Record<string, number>
  /** How the abuse was answered. */
  abuse: Record<string, number>
  memoryMiB: { start: number; firstHalf: number; secondHalf: number; most: number }
  /** Upper ends of the buckets, in milliseconds, and how often the event loop was held so long beside the abuse. */
  holds: Record<string, number>
}

const ORGANIZATIONS = 3
const ALONE_SHARE = 0.25
const MAIL_ADDRESS = 'support@soak.test'
const PASSWORD = 'soak'
const CHANNEL_EVERY_MS = 500
const BOT_FLOOD_EVERY_MS = 30
const HANGING_ENDPOINTS = 5
const FAT_BATCH = 50
const ABUSER_NICE = 10
const MAX_DRAIN_MS = 60_000
const LOOK_EVERY_MS = 250
const silent = createLog('error', false, () => {}, Date.now)

export async function benchSoak(): Promise<Result[]> {
  const minutes = Number(/--minutes[= ](\d+(?:\.\d+)?)/.exec(process.argv.join(' '))?.[1] ?? 10)
  const report = await runSoak({
    seconds: minutes * 60,
    rounds: Math.max(1, Math.round(minutes / 2)),
    perSecond: 200,
    fatMessages: 1_200,
    tickets: 20_000,
    hasMail: process.getuid?.() === 0,
  })
  console.log(JSON.stringify(report, null, 2))
  const { p95, memoryMiB, lost } = report
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0)
  return [
    {
      name: "Other organizations' p95 beside all abuse / alone",
      measured: p95.beside / p95.alone,
      unit: 'ratio',
      target: 3,
      wanted: 'at most',
      detail: `${p95.beside.toFixed(1)} / ${p95.alone.toFixed(1)} ms, ${sum(report.failures)} failed requests`,
    },
    {
      name: 'Memory of the second half / of the first half',
      measured: memoryMiB.secondHalf / memoryMiB.firstHalf,
      unit: 'ratio',
      target: 1.2,
      wanted: 'at most',
      detail: `${memoryMiB.secondHalf.toFixed(0)} / ${memoryMiB.firstHalf.toFixed(0)} MiB, at most ${memoryMiB.most.toFixed(0)}`,
    },
    {
      name: 'Acknowledged and lost',
      measured: sum(lost),
      unit: 'per second',
      target: 0,
      wanted: 'at most',
      detail: JSON.stringify(report.acknowledged),
    },
  ]
}

export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  await using closing = new AsyncDisposableStack()
  const receiver = await startCountingReceiver()
  closing.defer(receiver.stop)
  const hanging = await startHangingServer()
  closing.defer(hanging.stop)
  const telegram = await startTelegram({ clock: systemClock })
  closing.defer(telegram.close)
  const workspace = await makeWorkspace()
  closing.defer(workspace.remove)
  const settings = {
    BELLHOP_TRUST_PROXY: '127.0.0.0/8',
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: receiver.caFile,
    BELLHOP_MAIL_ALLOW: '127.0.0.0/8',
    BELLHOP_MAIL_CA: receiver.caFile,
    BELLHOP_TELEGRAM_API: telegram.root,
  }
  const config = readConfig({ BELLHOP_DATA: workspace.folder, ...settings })
  const deps = await openDeps(config, { log: silent })
  const mail = options.hasMail ? await startMail() : undefined
  if (mail) closing.defer(mail.stop)
  const seeded = await seed(
    deps,
    { workspace, receiverUrl: receiver.url, hangingUrl: `https://127.0.0.1:${hanging.port}`, telegram, mail },
    options,
  )
  await deps.database.close()
  const cookie = await signInAgent(workspace)

  const product = await startProduct(workspace.folder, settings)
  closing.defer(product.stop)
  const base = `http://127.0.0.1:${product.port}`
  while (telegram.requests('getUpdates') < 2) await Bun.sleep(LOOK_EVERY_MS)
  const load = startProgram('soak-load.ts', {
    base,
    perSecond: options.perSecond,
    organizations: seeded.organizations,
  })
  const channels = startChannelLoad(telegram, seeded.bot, mail?.dovecot)
  const memory = watchMemory(product)
  const abuse: Record<string, number> = {}
  load.say('warm-up')
  await Bun.sleep(Math.min(10_000, (options.seconds * 1_000) / 10))
  const holdsBefore = await readHolds(base)
  for (let round = 0; round < options.rounds; round += 1) {
    const roundMs = (options.seconds * 1_000) / options.rounds
    load.say('alone')
    await Bun.sleep(roundMs * ALONE_SHARE)
    const abusers = startProgram(
      'soak-abuse.ts',
      {
        base,
        key: workspace.key,
        cookie,
        widgetKey: seeded.abuserWidgetKey,
        fatTicketId: seeded.fatTicketId,
      },
      { isAbuser: true },
    )
    const flooder = telegram.addUser()
    const flood = setInterval(() => flooder.writes(seeded.abuserBot, 'Flood'), BOT_FLOOD_EVERY_MS)
    load.say('beside')
    await Bun.sleep(roundMs * (1 - ALONE_SHARE))
    load.say('after')
    clearInterval(flood)
    const counts: Record<string, number> = await abusers.end()
    for (const [name, count] of Object.entries(counts)) abuse[name] = (abuse[name] ?? 0) + count
  }
  const holdsAfter = await readHolds(base)
  const memoryMiB = memory.stop()
  const written = await channels.stop()
  const { acknowledged, times, failures }: LoadReport = await load.end()
  const alone = Object.values(times.alone ?? {}).flat()
  const beside = Object.values(times.beside ?? {}).flat()
  const organizationIds = seeded.organizations.map(({ orgId }) => orgId)
  await drain(workspace, organizationIds, { mails: written.mails, chats: written.chats })
  await product.stop()
  return {
    p95: { alone: p95Of(alone), beside: p95Of(beside) },
    p95ByKind: Object.fromEntries(
      Object.keys(times.beside ?? {}).map((kind) => [
        kind,
        { alone: p95Of(times.alone?.[kind]), beside: p95Of(times.beside?.[kind]) },
      ]),
    ),
    requests: { alone: alone.length, beside: beside.length },
    failures,
    lost: countLost(workspace, organizationIds, { acknowledged, written, received: receiver.times.length }),
    acknowledged: {
      tickets: acknowledged.tickets.length,
      messages: acknowledged.messages.length,
      files: acknowledged.files.length,
      deliveries: deliveriesOf(workspace, organizationIds, "state = 'succeeded'"),
      ...written,
    },
    abuse,
    memoryMiB,
    holds: Object.fromEntries(
      Object.entries(holdsAfter).map(([end, count]) => [end, count - (holdsBefore[end] ?? 0)]),
    ),
  }
}

interface LoadReport {
  acknowledged: { tickets: string[]; messages: string[]; files: string[] }
  times: { alone?: Record<string, number[]>; beside?: Record<string, number[]> }
  failures: Record<string, number>
}

interface Seeded {
  organizations: { orgId: string; key: string; widgetKey: string }[]
  bot: TelegramBot
  abuserBot: TelegramBot
  abuserWidgetKey: string
  fatTicketId: string
}

async function seed(
  deps: Deps,
  outside: {
    workspace: Workspace
    receiverUrl: string
    hangingUrl: string
    telegram: TelegramServer
    mail: Mail | undefined
  },
  options: SoakOptions,
): Promise<Seeded> {
  const { workspace, telegram, mail } = outside
  fillTickets(workspace, options.tickets)
  const abuser = workspace.orgId
  const api = createBotApi({ clock: systemClock, root: telegram.root })
  const [bot, abuserBot] = [
    telegram.addBot({ username: 'soak_bot' }),
    telegram.addBot({ username: 'flood_bot' }),
  ]
  const events = ['ticket.created', 'message.sent']
  for (let number = 0; number < HANGING_ENDPOINTS; number += 1) {
    await createEndpoint(deps, abuser, { url: `${outside.hangingUrl}/${number}`, events })
  }
  await createBot(deps, api, abuser, { name: 'Flood', token: abuserBot.token })
  const widget = { name: 'Shop', origins: ['https://shop.example'] }
  const abuserWidget = await createWidget(deps, abuser, widget)
  const { id: fatTicketId } = await createTicket(deps, abuser, {
    subject: 'Fat',
    message: 'x',
    customer: { email: 'fat@example.com' },
  })
  for (let left = options.fatMessages; left > 0; left -= FAT_BATCH) {
    const texts = Array.from({ length: Math.min(FAT_BATCH, left) }, () => ({ text: 'ü'.repeat(32_500) }))
    await addMessages(deps, { orgId: abuser, ticketId: fatTicketId }, ...texts)
  }
  const organizations: Seeded['organizations'] = []
  for (let number = 0; number < ORGANIZATIONS; number += 1) {
    const { id: orgId } = await createOrganization(deps, { name: `Organization ${number}` })
    const { secret: key } = await createApiKey(deps, orgId, {
      name: 'Website',
      kind: 'secret',
      rateLimit: 1_000_000,
    })
    const { widget: made } = await createWidget(deps, orgId, widget)
    await createEndpoint(deps, orgId, { url: outside.receiverUrl, events })
    organizations.push({ orgId, key, widgetKey: made.key })
  }
  const [first] = organizations
  if (!first) throw new Error('There is no organization.')
  await createBot(deps, api, first.orgId, { name: 'Support', token: bot.token })
  api.close()
  if (mail) await createMailbox(deps, first.orgId, mail.mailbox)
  return { organizations, bot, abuserBot, abuserWidgetKey: abuserWidget.widget.key, fatTicketId }
}

type Mail = Awaited<ReturnType<typeof startMail>>

async function startMail() {
  const dovecot = await startDovecot({ users: { [MAIL_ADDRESS]: PASSWORD } })
  const smtp = await startSmtpFaults({ users: { [MAIL_ADDRESS]: PASSWORD } })
  const server = { host: '127.0.0.1', user: MAIL_ADDRESS, password: PASSWORD }
  return {
    dovecot,
    mailbox: {
      name: 'Support',
      address: MAIL_ADDRESS,
      imap: { ...server, port: dovecot.imapsPort, security: 'tls' as const },
      smtp: { ...server, port: smtp.port, security: 'starttls' as const },
    },
    async stop() {
      await smtp.stop()
      await dovecot.stop()
      removeTemporaryFolders()
    },
  }
}

/**
 * A program beside this file. Its report is the JSON that it prints when its standard input has ended. Abusers have a lower
 * priority: they are on other machines, and only what the server does for them may slow it down.
 */
function startProgram(name: string, given: unknown, { isAbuser = false } = {}) {
  const program = `${import.meta.dir}/programs/${name}`
  const command = [process.execPath, program, JSON.stringify(given)]
  const child = Bun.spawn(isAbuser ? ['nice', '-n', `${ABUSER_NICE}`, ...command] : command, {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const printed = new Response(child.stdout).text()
  return {
    say(line: string) {
      child.stdin.write(`${line}\n`)
      child.stdin.flush()
    },
    async end() {
      await child.stdin.end()
      return JSON.parse(await printed)
    },
  }
}

/** Mails and chats, a few a second. Returns how many of each there were. */
function startChannelLoad(telegram: TelegramServer, bot: TelegramBot, dovecot: Dovecot | undefined) {
  const users = Array.from({ length: 20 }, () => telegram.addUser())
  const written = { mails: 0, chats: 0 }
  const timer = setInterval(() => {
    users[written.chats % users.length]?.writes(bot, `Question ${written.chats}`)
    written.chats += 1
    if (!dovecot) return
    dovecot.deliver(MAIL_ADDRESS, mailNumber(written.mails))
    written.mails += 1
  }, CHANNEL_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      return written
    },
  }
}

function mailNumber(number: number): string {
  return (
    `From: Ana ${number} <ana${number}@example.com>\r\nTo: ${MAIL_ADDRESS}\r\nSubject: Order ${number}\r\n` +
    `Message-ID: <soak-${number}@example.com>\r\n\r\nWhere is my order ${number}?\r\n`
  )
}

function watchMemory({ pid }: Child) {
  const samples = [residentMiB(pid)]
  const timer = setInterval(() => samples.push(residentMiB(pid)), 1_000)
  return {
    stop() {
      clearInterval(timer)
      const middle = Math.floor(samples.length / 2)
      const [start = 0] = samples
      // Of the first half, without what the start of the load costs.
      const firstHalf = median(samples.slice(Math.floor(middle / 2), middle + 1))
      return { start, firstHalf, secondHalf: median(samples.slice(middle)), most: Math.max(...samples) }
    },
  }
}

/** How often the event loop was held until the end of each bucket, in milliseconds. */
async function readHolds(base: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${base}/metrics`)).text()
  const holds: Record<string, number> = {}
  let below = 0
  for (const [, end, count] of text.matchAll(
    /^bellhop_event_loop_hold_seconds_bucket\{le="(.+)"\} (\d+)$/gm,
  )) {
    if (Number(end) > 0.01 || end === '+Inf')
      holds[end === '+Inf' ? 'more' : `${Number(end) * 1000}`] = Number(count) - below
    below = Number(count)
  }
  return holds
}

/** Waits until what was acknowledged has been delivered, and what was sent has been taken in. */
async function drain(
  workspace: Workspace,
  organizationIds: string[],
  { mails, chats }: { mails: number; chats: number },
): Promise<void> {
  const until = performance.now() + MAX_DRAIN_MS
  while (performance.now() < until) {
    const open = deliveriesOf(workspace, organizationIds, "state <> 'succeeded'")
    const taken = channelCounts(workspace, organizationIds)
    if (open === 0 && taken.mails >= mails && taken.chats >= chats) return
    await Bun.sleep(LOOK_EVERY_MS)
  }
}

function countLost(
  workspace: Workspace,
  organizationIds: string[],
  {
    acknowledged,
    written,
    received,
  }: {
    acknowledged: LoadReport['acknowledged']
    written: { mails: number; chats: number }
    received: number
  },
): Record<string, number> {
  using database = new Database(workspace.file, { readonly: true })
  const missing = (table: string, ids: string[]) => {
    const stored = new Set(database.query(`SELECT id FROM ${table}`).values().flat())
    return ids.filter((id) => !stored.has(id)).length
  }
  const taken = channelCounts(workspace, organizationIds)
  const succeeded = deliveriesOf(workspace, organizationIds, "state = 'succeeded'")
  return {
    tickets: missing('tickets', acknowledged.tickets),
    messages: missing('messages', acknowledged.messages),
    files: missing('attachments', acknowledged.files),
    deliveries:
      deliveriesOf(workspace, organizationIds, "state <> 'succeeded'") + Math.max(0, succeeded - received),
    mails: written.mails - taken.mails,
    chats: written.chats - taken.chats,
  }
}

function deliveriesOf({ file }: Workspace, organizationIds: string[], condition: string): number {
  return countOf(
    file,
    `SELECT count(*) FROM deliveries WHERE ${condition} AND org_id IN (${quoted(organizationIds)})`,
  )
}

function channelCounts({ file }: Workspace, organizationIds: string[]): { mails: number; chats: number } {
  const ofChannel = (channel: string) =>
    countOf(
      file,
      `SELECT count(*) FROM messages JOIN tickets ON tickets.id = ticket_id AND tickets.org_id = messages.org_id
      WHERE channel = '${channel}' AND role = 'customer' AND tickets.org_id IN (${quoted(organizationIds)})`,
    )
  return { mails: ofChannel('email'), chats: ofChannel('telegram') }
}

function countOf(file: string, query: string): number {
  using database = new Database(file, { readonly: true })
  return Number(database.query(query).values()[0]?.[0] ?? 0)
}

function quoted(ids: string[]): string {
  return ids.map((id) => `'${id}'`).join()
}

function p95Of(times: number[] = []): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? Number.NaN
}
