import { desc, eq } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { bots } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, invalid } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { retryLane } from '../../../messages/sends/claim-sends.ts'
import { accountsOf, changedFields, pickFields } from '../../accounts/accounts.ts'
import { requireAssignee } from '../../accounts/default-assignee.ts'
import { HEALTHY } from '../../accounts/receiving-health.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { type BotAccount, hostOf, readAccount } from './bot-account.ts'
import { BOT_SETTINGS, type Bot, type BotSettings, checkSettings, webhookColumns } from './bot-rows.ts'

export const botAccounts = accountsOf<Bot, 'bot'>({
  noun: 'bot',
  prefix: 'bot',
  table: bots,
  select: (read, where) => read.select().from(bots).where(where),
  update: (tx, set, where) => tx.update(bots).set(set).where(where).returning(),
  labelOf: ({ username }) => `@${username}`,
  changedFields: (change) => changedFields(BOT_SETTINGS, change),
})
export const listBots = botAccounts.list
export const readBot = botAccounts.read
export const lockBot = botAccounts.lock

type NewBot = Partial<BotSettings> & { token: string }
type BotChange = Partial<BotSettings> & { token?: string }

/**
 * Connects a bot, after asking Telegram which bot the token is for. A bot that the organization removed earlier gets
 * its chats back, so that their tickets can be answered again. Throws 400 with every fault, 409 when the bot is already
 * connected, and 503 when Telegram can't be reached.
 */
export async function createBot(deps: Deps, api: BotApi, orgId: string, input: NewBot): Promise<Bot> {
  const { token, ...settings } = input
  const account = await readAccount(api, token)
  const checked = checkSettings(deps, withDefaults(account, settings))
  const now = deps.clock.now()
  return deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    await requireAssignee(tx, orgId, checked.defaultAssignee)
    const removed = await findRemoved(tx, orgId, account)
    const id = removed?.id ?? deps.newId('bot')
    const row = {
      ...checked,
      telegramId: account.telegramId,
      username: account.username,
      foreignWebhook: hostOf(account.webhookUrl),
      state: 'active' as const,
      token: deps.encryption.encrypt(token.trim(), id),
      ...(checked.receives === 'webhook' && webhookColumns(deps, id)),
      createdAt: now,
      updatedAt: now,
    }
    const inserted = tx
      .insert(bots)
      .values({ id, orgId, ...row })
      .onConflictDoNothing()
      .returning()
    const [made] = removed ? [await botAccounts.save(tx, removed, { ...row, ...AS_NEW })] : await inserted
    if (!made) throw botTaken(account)
    await botAccounts.recordCreated(deps, tx, made)
    return made
  })
}

/** Columns that are reset when a removed bot is added again. */
const AS_NEW = {
  deletedAt: null,
  offset: 0,
  lastUpdateAt: null,
  lastCheckedAt: null,
  lastSentAt: null,
  unknownUpdates: 0,
} as const

/** The organization's row of this bot, if it was removed and no one has connected the bot since. */
async function findRemoved(
  tx: Transaction,
  orgId: string,
  { telegramId }: BotAccount,
): Promise<Bot | undefined> {
  const found = await tx
    .select()
    .from(bots)
    .where(eq(bots.telegramId, telegramId))
    .orderBy(desc(bots.updatedAt))
  if (found.some(({ deletedAt }) => deletedAt === null)) return undefined
  return found.find((bot) => bot.orgId === orgId)
}

/**
 * Changes the given fields. A new token must be of the same bot. Throws 404, 400 with every fault, and 503 when Telegram
 * can't be asked.
 */
export async function updateBot(
  deps: Deps,
  api: BotApi,
  orgId: string,
  { id, change }: { id: string; change: BotChange },
): Promise<Bot> {
  const { token, ...settings } = change
  const known = await readBot(deps, orgId, id)
  checkSettings(deps, { ...known, ...settings })
  const account = token === undefined ? undefined : await readAccount(api, token)
  if (account && account.telegramId !== known.telegramId) throw otherBot(account, known)
  const isNewToken = token !== undefined && account !== undefined
  const action = isNewToken ? 'bot.token_changed' : 'bot.changed'
  return botAccounts.change(deps, orgId, { id, action }, async (tx, before) => {
    const checked = checkSettings(deps, { ...pickFields(before, BOT_SETTINGS), ...settings })
    await requireAssignee(tx, orgId, checked.defaultAssignee, before.defaultAssignee)
    const after: Bot = { ...before, ...checked }
    if (!isNewToken && changedFields(BOT_SETTINGS, { before, after }).length === 0) return before
    const set: Partial<Bot> = { ...checked, updatedAt: deps.clock.now() }
    if (checked.receives === 'webhook' && !before.webhook) Object.assign(set, webhookColumns(deps, id))
    if (!isNewToken) return botAccounts.save(tx, before, set)
    // Earlier failures say nothing about the new token.
    await retryLane(tx, id, deps.clock.now())
    return botAccounts.save(tx, before, {
      ...set,
      telegramId: account.telegramId,
      username: account.username,
      ...HEALTHY,
      token: deps.encryption.encrypt(token.trim(), id),
      state: before.state === 'paused' ? 'paused' : 'active',
    })
  })
}

function withDefaults({ name }: BotAccount, settings: Partial<BotSettings>): BotSettings {
  return {
    greeting: '',
    newTicketAfterDays: null,
    showsTyping: true,
    defaultAssignee: '',
    receives: 'polling',
    ...settings,
    name: settings.name ?? name,
  }
}

function otherBot(given: BotAccount, known: Bot): AppError {
  const detail = `This token is for @${given.username}. Enter the token of @${known.username}, or connect the other bot.`
  return invalid([{ pointer: '/token', code: 'other_bot', detail }])
}

/** In any organization: two programs can't both receive one bot's messages. */
function botTaken({ username }: BotAccount): AppError {
  return new AppError(
    409,
    'bot_exists',
    `@${username} is already connected, here or in another organization. A bot can be connected once.`,
  )
}
