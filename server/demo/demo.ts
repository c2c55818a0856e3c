import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashPassword } from '../agents/password.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { type Deps, openDeps } from '../deps.ts'
import { StartError } from '../errors.ts'
import { type Place, perform } from './conversations.ts'
import { leaveMarks } from './marks.ts'
import { furnish } from './organization.ts'
import { AGENTS, ORGANIZATION } from './people.ts'
import { planConversations } from './plan.ts'
import { createRandom } from './random.ts'
import { type DemoReceiver, startDemoReceiver } from './receiver.ts'
import { addEndpoints, deliverThen } from './webhooks.ts'

const DAY_MS = 86_400_000
const DAYS = 30
/** Every demo tells the same. */
const SEED = 20_260_301
/** Characters of a password that are not mistaken for each other. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** An organization that somebody can look around in, in a folder that is removed again. */
export interface Demo {
  /** For `startService`: the demo's own data, and nothing to be sent anywhere but to this machine. */
  config: Config
  organization: string
  agents: { name: string; email: string; role: string }[]
  /** All agents have it. */
  password: string
  /** A secret API key with full access. */
  key: string
  /** Removes the folder. */
  remove(): Promise<void>
}

/** Makes thirty days of a support desk. Throws `StartError` where the settings name a database to keep. */
export async function makeDemo(given: Config): Promise<Demo> {
  if (given.databaseUrl) {
    throw new StartError('The demo keeps its data in a folder of its own. Start it without DATABASE_URL.')
  }
  const dataFolder = mkdtempSync(join(tmpdir(), 'bellhop-demo-'))
  let receiver: DemoReceiver | undefined
  const remove = async () => {
    await receiver?.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  }
  try {
    receiver = startDemoReceiver(systemClock.now())
    const config = { ...given, dataFolder, webhookAllow: ['127.0.0.1/32'], webhookCa: receiver.ca }
    const deps = await openDeps(config)
    const password = passwordFrom(deps)
    const key = await fill(deps, { password, url: receiver.url }).finally(deps.database.close)
    return { config, organization: ORGANIZATION, agents: AGENTS, password, key, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Answers the API key. */
async function fill(deps: Deps, { password, url }: { password: string; url: string }): Promise<string> {
  const now = deps.clock.now()
  const start = now - DAYS * DAY_MS
  const random = createRandom(SEED)
  const passwordHash = await hashPassword(deps, password)
  const { key, ...place } = await furnish(deps, { start, passwordHash })
  const endpoints = await addEndpoints(deps, place.orgId, { url, start, actor: actorOf(place) })
  await perform(deps, place, planConversations(SEED, now))
  await leaveMarks(deps, place, random)
  await deliverThen(deps, endpoints.healthy, { random, brokenSince: Number.POSITIVE_INFINITY })
  await deliverThen(deps, endpoints.failing, { random, brokenSince: now - 6 * DAY_MS })
  return key
}

function actorOf({ agents: [first] }: Place) {
  if (!first) throw new Error('Nobody works here.')
  return { kind: 'agent' as const, ...first, address: '192.0.2.17' }
}

function passwordFrom(deps: Deps): string {
  const letters = Array.from(deps.randomBytes(12), (byte) => LETTERS[byte % LETTERS.length])
  return [letters.slice(0, 4), letters.slice(4, 8), letters.slice(8)].map((part) => part.join('')).join('-')
}
