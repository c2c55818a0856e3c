import { and, eq, inArray } from 'drizzle-orm'
import { telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { hostOf, readAccount, refusalOf } from './bot-account.ts'
import { recordRefused } from './bot-health.ts'
import { type Bot, isOwnWebhook, NO_BOT_PROBLEM, tokenOf } from './bot-rows.ts'
import { changeBot, readBot, saveBot } from './bots.ts'

/** The removal of a bot doesn't wait longer than this. */
const FAREWELL_MS = 5_000

/** Stops fetching and sending until the bot is resumed. Telegram keeps what arrives for 24 hours. */
export function pauseBot(deps: Deps, orgId: string, id: string): Promise<Bot> {
  return changeBot(deps, orgId, { id, action: 'bot.paused' }, async (tx, before) => {
    if (before.state === 'paused') return before
    return saveBot(tx, before, { state: 'paused', ...NO_BOT_PROBLEM, updatedAt: deps.clock.now() })
  })
}

/** Resumes a bot, and tries a refused token immediately. */
export function resumeBot(deps: Deps, orgId: string, id: string): Promise<Bot> {
  return changeBot(deps, orgId, { id, action: 'bot.resumed' }, async (tx, before) => {
    if (before.state === 'active') return before
    return saveBot(tx, before, { state: 'active', ...NO_BOT_PROBLEM, updatedAt: deps.clock.now() })
  })
}

/** Asks Telegram about the bot now. Throws 400 when the token is refused, and 503 when Telegram can't be asked. */
export async function checkBot(deps: Deps, api: BotApi, orgId: string, id: string): Promise<Bot> {
  const bot = await readBot(deps, orgId, id)
  const account = await readAccount(api, requireToken(deps, bot)).catch(async (error) => {
    if (error instanceof AppError && error.status === 400) await recordRefused(deps, bot)
    throw error
  })
  const foreignWebhook = isOwnWebhook(deps, bot, account.webhookUrl) ? '' : hostOf(account.webhookUrl)
  return changeBot(deps, orgId, { id, action: 'bot.checked' }, async (tx, before) => {
    const isBack = before.state === 'refused'
    const { username } = account
    if (!isBack && before.username === username && before.foreignWebhook === foreignWebhook) return before
    return saveBot(tx, before, {
      username,
      foreignWebhook,
      ...(isBack && { state: 'active' as const, ...NO_BOT_PROBLEM }),
      updatedAt: deps.clock.now(),
    })
  })
}

/**
 * Removes a webhook that another program has set. Updates that wait for it then arrive here. Throws like `checkBot`.
 */
export async function removeWebhook(deps: Deps, api: BotApi, orgId: string, id: string): Promise<Bot> {
  const bot = await readBot(deps, orgId, id)
  await api.call(requireToken(deps, bot), 'deleteWebhook', {}).catch((error) => {
    throw refusalOf(error)
  })
  return changeBot(deps, orgId, { id, action: 'bot.webhook_removed' }, (tx, before) =>
    saveBot(tx, before, { foreignWebhook: '', ...NO_BOT_PROBLEM, updatedAt: deps.clock.now() }),
  )
}

/** Removes the note that messages may be missing. */
export function dismissMissed(deps: Deps, orgId: string, id: string): Promise<Bot> {
  return changeBot(deps, orgId, { id, action: 'bot.missed_dismissed' }, async (tx, before) =>
    before.missedSince === null ? before : saveBot(tx, before, { missedSince: null }),
  )
}

/**
 * Removes a bot with its token, and fetched updates that became no message. Tickets stay. Asks Telegram to stop calling
 * the webhook; if that fails, the bot is removed anyway. Throws 404.
 */
export async function removeBot(deps: Deps, api: BotApi, orgId: string, id: string): Promise<void> {
  const bot = await readBot(deps, orgId, id)
  const token = tokenOf(deps, bot)
  if (bot.receives === 'webhook' && token !== undefined) {
    const options = { timeoutMs: FAREWELL_MS }
    await api.call(token, 'deleteWebhook', {}, options).catch((error) => {
      deps.log.warn('telegram_webhook_not_removed', { botId: id, error })
    })
  }
  await changeBot(deps, orgId, { id, action: 'bot.removed' }, async (tx, before) => {
    const now = deps.clock.now()
    await tx
      .update(telegramUpdates)
      .set({ raw: null })
      .where(
        and(
          eq(telegramUpdates.orgId, orgId),
          eq(telegramUpdates.botId, id),
          inArray(telegramUpdates.state, ['ignored', 'failed']),
        ),
      )
    return saveBot(tx, before, {
      deletedAt: now,
      token: null,
      webhook: null,
      webhookHash: null,
      foreignWebhook: '',
      missedSince: null,
      ...NO_BOT_PROBLEM,
      updatedAt: now,
    })
  })
}

function requireToken(deps: Deps, bot: Bot): string {
  const token = tokenOf(deps, bot)
  if (token === undefined) throw new Error(`The bot ${bot.id} has no token.`)
  return token
}
