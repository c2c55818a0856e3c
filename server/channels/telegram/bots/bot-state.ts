import { and, eq, inArray } from 'drizzle-orm'
import { telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { pauseAndResume } from '../../accounts/account-state.ts'
import { HEALTHY } from '../../accounts/receiving-health.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { hostOf, readAccount, refusalOf } from './bot-account.ts'
import { recordRefused } from './bot-health.ts'
import { type Bot, isOwnWebhook, tokenOf } from './bot-rows.ts'
import { botAccounts, readBot } from './bots.ts'

/** The removal of a bot doesn't wait longer than this. */
const FAREWELL_MS = 5_000

/** Telegram keeps what arrives for 24 hours while a bot is paused. Resuming tries a refused token immediately. */
export const [pauseBot, resumeBot] = pauseAndResume(botAccounts, {
  paused: { state: 'paused', ...HEALTHY },
  active: { state: 'active', ...HEALTHY },
})

/** Asks Telegram about the bot now. Throws 400 when the token is refused, and 503 when Telegram can't be asked. */
export async function checkBot(deps: Deps, api: BotApi, orgId: string, id: string): Promise<Bot> {
  const bot = await readBot(deps, orgId, id)
  const account = await readAccount(api, requireToken(deps, bot)).catch(async (error) => {
    if (error instanceof AppError && error.status === 400) await recordRefused(deps, bot)
    throw error
  })
  const foreignWebhook = isOwnWebhook(deps, bot, account.webhookUrl) ? '' : hostOf(account.webhookUrl)
  return botAccounts.change(deps, orgId, { id, action: 'bot.checked' }, async (tx, before) => {
    const isBack = before.state === 'refused'
    const { username } = account
    if (!isBack && before.username === username && before.foreignWebhook === foreignWebhook) return before
    return botAccounts.save(tx, before, {
      username,
      foreignWebhook,
      ...(isBack && { state: 'active' as const, ...HEALTHY }),
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
  return botAccounts.change(deps, orgId, { id, action: 'bot.webhook_removed' }, (tx, before) =>
    botAccounts.save(tx, before, { foreignWebhook: '', ...HEALTHY, updatedAt: deps.clock.now() }),
  )
}

/** Removes the note that messages may be missing. */
export function dismissMissed(deps: Deps, orgId: string, id: string): Promise<Bot> {
  return botAccounts.change(deps, orgId, { id, action: 'bot.missed_dismissed' }, async (tx, before) =>
    before.missedSince === null ? before : botAccounts.save(tx, before, { missedSince: null }),
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
  await botAccounts.change(deps, orgId, { id, action: 'bot.removed' }, async (tx, before) => {
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
    return botAccounts.save(tx, before, {
      deletedAt: now,
      token: null,
      webhook: null,
      webhookHash: null,
      foreignWebhook: '',
      missedSince: null,
      ...HEALTHY,
      updatedAt: now,
    })
  })
}

function requireToken(deps: Deps, bot: Bot): string {
  const token = tokenOf(deps, bot)
  if (token === undefined) throw new Error(`The bot ${bot.id} has no token.`)
  return token
}
