import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashPassword } from '../agents/password.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { actingAs, type Deps } from '../deps.ts'
import { StartError } from '../errors.ts'
import { openDeps } from '../open-deps.ts'
import company from './company.yaml'
import { runPlan } from './conversations.ts'
import { addMailbox, failEmails, showHealth } from './demo-mailbox.ts'
import { addSuggestions } from './demo-program.ts'
import { addWidget, seedVisitors } from './demo-widget.ts'
import { type DemoMailServer, startDemoMailServer } from './mail-server.ts'
import { type DemoOrganization, seedOrganization } from './organization.ts'
import { createRandom, planConversations } from './plan.ts'
import { startDemoReceiver } from './receiver.ts'
import { addBot, type DemoTelegram, seedChats, startDemoTelegram } from './telegram.ts'
import { seedTicketState } from './ticket-state.ts'
import { addEndpoints, seedDeliveries } from './webhooks.ts'

const DAY_MS = 86_400_000
const DAYS = 30
/** The same in every demo, so that every demo has the same conversations. */
const SEED = 20_260_301
/** Characters of a password that can't be mistaken for each other. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** An organization to explore, in a temporary folder. */
export interface Demo {
  /** For `startService`: with the demo's data, and webhooks and Telegram that are on this machine only. */
  config: Config
  organization: string
  agents: { name: string; email: string; role: string }[]
  /** The same for all agents. */
  password: string
  /** A secret API key with full access. */
  key: string
  /** Removes the folder. */
  remove(): Promise<void>
}

/** Creates thirty days of customer support. Throws `StartError` if the settings name a database. */
export async function makeDemo(given: Config): Promise<Demo> {
  if (given.databaseUrl) {
    throw new StartError('The demo stores its data in a temporary folder. Start it without DATABASE_URL.')
  }
  await using started = new AsyncDisposableStack()
  const dataFolder = mkdtempSync(join(tmpdir(), 'bellhop-demo-'))
  started.defer(() => rmSync(dataFolder, { recursive: true, force: true }))
  const telegram = startDemoTelegram(systemClock)
  started.defer(telegram.stop)
  const receiver = startDemoReceiver(systemClock.now())
  started.defer(receiver.stop)
  const mailServer = startDemoMailServer({ cert: receiver.ca, key: receiver.key })
  started.defer(mailServer.stop)
  const allowed = ['127.0.0.1/32']
  const config = {
    ...given,
    dataFolder,
    webhookAllow: allowed,
    webhookCa: receiver.ca,
    mailAllow: allowed,
    mailCa: receiver.ca,
    telegramApi: telegram.root,
  }
  const deps = await openDeps(config)
  const password = passwordFrom(deps)
  const key = await seed(deps, { password, url: receiver.url, telegram, mailServer }).finally(
    deps.database.close,
  )
  const { organization, agents } = company
  const running = started.move()
  return { config, organization, agents, password, key, remove: () => running.disposeAsync() }
}

/** Returns the API key. */
async function seed(
  deps: Deps,
  {
    password,
    url,
    telegram,
    mailServer,
  }: { password: string; url: string; telegram: DemoTelegram; mailServer: DemoMailServer },
): Promise<string> {
  const now = deps.clock.now()
  const start = now - DAYS * DAY_MS
  const random = createRandom(SEED)
  const passwordHash = await hashPassword(deps, password)
  const { key, ...organization } = await seedOrganization(deps, { start, passwordHash })
  const actor = actorOf(organization)
  const endpoints = await addEndpoints(deps, organization.orgId, { url, start, actor })
  const mailbox = await addMailbox(deps, organization.orgId, { at: start + DAY_MS / 24, actor, mailServer })
  const widget = await addWidget(deps, organization, { at: start + DAY_MS / 12, actor })
  const bot = await addBot(deps, organization, { telegram, at: start + DAY_MS / 8, actor })
  await runPlan(deps, { organization, mailbox }, planConversations(SEED, now))
  await seedVisitors(deps, widget)
  await seedChats(deps, organization, bot)
  await seedTicketState(deps, organization, random)
  await addSuggestions(actingAs(deps, actor), organization.orgId)
  await failEmails(deps, mailbox)
  await showHealth(deps, mailbox)
  mailServer.holds(mailbox.count)
  await seedDeliveries(deps, endpoints.healthy, { random, brokenSince: Number.POSITIVE_INFINITY })
  await seedDeliveries(deps, endpoints.failing, { random, brokenSince: now - 6 * DAY_MS })
  return key
}

function actorOf({ agents: [first] }: DemoOrganization) {
  if (!first) throw new Error('The demo has no agents.')
  return { kind: 'agent' as const, ...first, address: '192.0.2.17' }
}

function passwordFrom(deps: Deps): string {
  const letters = Array.from(deps.randomBytes(12), (byte) => LETTERS[byte % LETTERS.length])
  return [letters.slice(0, 4), letters.slice(4, 8), letters.slice(8)].map((part) => part.join('')).join('-')
}
