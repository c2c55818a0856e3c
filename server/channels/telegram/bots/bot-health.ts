import { and, count, eq, inArray, isNull, min, sql } from 'drizzle-orm'
import { type BotState, bots, telegramUpdates } from '../../../database/tables/bots.ts'
import { sends } from '../../../database/tables/sends.ts'
import { actingAs, type Deps } from '../../../deps.ts'
import type { Loop } from '../../../loop.ts'
import { hasFailedLong, healthOf, recordHealth, startAccountAlerts } from '../../accounts/receiving-health.ts'
import { TOKEN_REFUSED } from '../bot-api/bot-api-error.ts'
import type { Bot } from './bot-rows.ts'
import { botAccounts, listBots, readBot } from './bots.ts'

/** Telegram keeps what no one fetches for this long. */
const KEPT_MS = 24 * 60 * 60_000
/** How often the row of a bot without news is updated. */
const CHECK_EVERY_MS = 60_000

/**
 * `connecting`: Telegram was not asked yet. `failing`: the newest request failed, and Bellhop tries again. `refused`,
 * `taken` and `webhook`: nothing arrives until the token is renewed, the other program stops, or the webhook that was set
 * elsewhere is removed.
 */
export const BOT_HEALTH_STATES = [
  'connecting',
  'active',
  'failing',
  'paused',
  'refused',
  'taken',
  'webhook',
] as const
type BotHealth = (typeof BOT_HEALTH_STATES)[number]

/** The state of a bot in one word. */
export function healthOfBot(bot: Bot): BotHealth {
  if (bot.state === 'active' && bot.foreignWebhook !== '') return 'webhook'
  return healthOf(bot)
}

/** Problems that administrators should fix now, of the oldest bot first. */
export async function botProblems(deps: Deps, orgId: string): Promise<Bot[]> {
  const now = deps.clock.now()
  return (await listBots(deps, orgId)).filter((bot) => bot.missedSince !== null || isProblem(bot, now))
}

/** If another program fetches the messages, it may stop soon. */
function isProblem(bot: Bot, now: number): boolean {
  switch (healthOfBot(bot)) {
    case 'refused':
    case 'webhook':
      return true
    case 'taken':
    case 'failing':
      return hasFailedLong(bot, now)
    default:
      return false
  }
}

/** Tells open pages to show a banner about each bot that has been failing for ten minutes. */
export function startBotAlerts(deps: Deps): Loop {
  return startAccountAlerts(deps, botAccounts, {
    isQuiet: isNull(bots.alertedAt),
    isProblem,
    alerted: (alertedAt) => ({ alertedAt }),
  })
}

export interface BotQueue {
  /** Updates that are fetched and still to be processed. */
  incoming: number
  /** Messages that are still to be sent. */
  outgoing: number
}

/** By bot id. */
export async function countQueues(deps: Deps, orgId: string): Promise<Map<string, BotQueue>> {
  const { read } = deps.database
  const queues = new Map<string, BotQueue>()
  const queueOf = (id: string) => {
    const queue = queues.get(id) ?? { incoming: 0, outgoing: 0 }
    queues.set(id, queue)
    return queue
  }
  const incoming = await read
    .select({ botId: telegramUpdates.botId, updates: count() })
    .from(telegramUpdates)
    .where(and(eq(telegramUpdates.orgId, orgId), sql`state = 'pending'`))
    .groupBy(telegramUpdates.botId)
  for (const { botId, updates } of incoming) queueOf(botId).incoming = updates
  const lanes = read.select({ id: bots.id }).from(bots).where(eq(bots.orgId, orgId))
  const outgoing = await read
    .select({ botId: sends.laneId, messages: count() })
    .from(sends)
    .where(and(eq(sends.orgId, orgId), inArray(sends.laneId, lanes), sql`state in ('waiting', 'sending')`))
    .groupBy(sends.laneId)
  for (const { botId, messages } of outgoing) queueOf(botId).outgoing = messages
  return queues
}

interface BotTotals {
  states: Record<BotHealth, number>
  /** Updates that are still to be processed, and when the oldest of them was fetched. */
  pending: number
  oldestPendingAt: number | null
  /** Updates of unknown kinds, so far. */
  unknown: number
}

/** For the metrics: covers all organizations. */
export async function countAllBots(deps: Deps): Promise<BotTotals> {
  const { read } = deps.database
  const all = await botAccounts.listAll(deps)
  const states = { connecting: 0, active: 0, failing: 0, paused: 0, refused: 0, taken: 0, webhook: 0 }
  for (const bot of all) states[healthOfBot(bot)] += 1
  const [waiting] = await read
    .select({ updates: count(), at: min(telegramUpdates.createdAt) })
    .from(telegramUpdates)
    // Literal, for the partial index.
    .where(sql`state = 'pending'`)
  return {
    states,
    pending: waiting?.updates ?? 0,
    oldestPendingAt: waiting?.at ?? null,
    unknown: all.reduce((sum, bot) => sum + bot.unknownUpdates, 0),
  }
}

/**
 * The columns that a successful request for messages changes. If no one has fetched a bot's messages for longer than
 * Telegram keeps them, some may be lost. That note stays until an administrator has seen it.
 */
export function checkedColumns(bot: Bot, now: number): Partial<Bot> {
  const { lastCheckedAt, missedSince } = bot
  const isLate = lastCheckedAt !== null && now - lastCheckedAt > KEPT_MS
  return {
    lastCheckedAt: now,
    receiveError: '',
    receiveFailingSince: null,
    foreignWebhook: '',
    ...(bot.state !== 'paused' && { state: 'active' as const }),
    ...(bot.sendFailingSince === null && { alertedAt: null }),
    ...(isLate && missedSince === null && { missedSince: lastCheckedAt }),
  }
}

/** Whether a successful request has anything to write. */
function isNews(bot: Bot, now: number): boolean {
  return (
    bot.state !== 'active' ||
    bot.receiveError !== '' ||
    bot.foreignWebhook !== '' ||
    now - (bot.lastCheckedAt ?? 0) >= CHECK_EVERY_MS
  )
}

/** Whether pages show the difference. */
export function isVisibleChange(before: Bot, change: Partial<Bot>): boolean {
  const after = { ...before, ...change }
  return healthOfBot(before) !== healthOfBot(after) || before.missedSince !== after.missedSince
}

/** Records a successful request that returned no updates. */
export async function recordChecked(deps: Deps, bot: Pick<Bot, 'orgId' | 'id'>): Promise<void> {
  const known = await readBot(deps, bot.orgId, bot.id)
  if (!isNews(known, deps.clock.now()) && known.offset === 0) return
  // The request confirmed these updates, so their number is no longer needed.
  await record(deps, known, (before) => ({ ...checkedColumns(before, deps.clock.now()), offset: 0 }))
}

/** Records that messages can't be fetched, with the reason and the bot's new state. */
export async function recordNotReceived(
  deps: Deps,
  bot: Pick<Bot, 'orgId' | 'id' | 'updatedAt'>,
  { error, state, foreignWebhook }: { error: string; state?: BotState; foreignWebhook?: string },
): Promise<void> {
  const known = await readBot(deps, bot.orgId, bot.id)
  if (known.updatedAt !== bot.updatedAt || known.state === 'paused') return
  const now = deps.clock.now()
  await record(deps, known, (before) => ({
    receiveError: error,
    receiveFailingSince: before.receiveFailingSince ?? now,
    ...(state && { state }),
    // Only an administrator can end these states.
    ...((state === 'refused' || foreignWebhook) && { alertedAt: before.alertedAt ?? now }),
    ...(foreignWebhook !== undefined && { foreignWebhook }),
  }))
}

/** Telegram refuses the token: the bot's state says so. */
export function recordRefused(deps: Deps, bot: Bot): Promise<void> {
  return recordNotReceived(deps, bot, { error: TOKEN_REFUSED, state: 'refused' })
}

/** The audit log gets the first refusal. */
async function record(deps: Deps, known: Bot, changeOf: (before: Bot) => Partial<Bot>): Promise<void> {
  const { orgId, id } = known
  const change = changeOf(known)
  if (known.state !== 'refused' && change.state === 'refused') {
    const asSystem = actingAs(deps, { kind: 'system', name: 'Bellhop' })
    await botAccounts.change(asSystem, orgId, { id, action: 'bot.refused' }, async (tx, before) =>
      before.state === 'paused' ? before : botAccounts.save(tx, before, changeOf(before)),
    )
    return
  }
  await recordHealth(deps, botAccounts, known, {
    isVisible: isVisibleChange(known, change),
    changeOf: (before) => (before.state === 'paused' ? undefined : changeOf(before)),
  })
}
