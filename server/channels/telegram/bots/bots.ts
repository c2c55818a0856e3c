import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import { recordAudit } from '../../../audit/audit.ts'
import type { Reader, Transaction } from '../../../database/database.ts'
import { statement, text } from '../../../database/statement.ts'
import { agents } from '../../../database/tables/agents.ts'
import { bots } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, invalid, notFound } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { isId } from '../../../ids.ts'
import { retryLane } from '../../../messages/sends/claim-sends.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { type BotAccount, hostOf, readAccount } from './bot-account.ts'
import {
  type Bot,
  type BotSettings,
  changedBotFields,
  checkSettings,
  NO_BOT_PROBLEM,
  webhookColumns,
} from './bot-rows.ts'

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
  return deps.database.write(async (tx) => {
    await recordWorkspaceChange(deps, tx, orgId)
    await requireAssignee(tx, orgId, checked.defaultAssignee)
    const removed = await findRemoved(tx, orgId, account)
    const id = removed?.id ?? deps.newId('bot')
    const row = {
      ...checked,
      ...accountColumns(account),
      foreignWebhook: hostOf(account.webhookUrl),
      state: 'active' as const,
      token: deps.encryption.encrypt(token.trim(), id),
      ...(checked.receives === 'webhook' && webhookColumns(deps, id)),
      createdAt: now,
      updatedAt: now,
    }
    const made = removed
      ? await saveBot(tx, removed, { ...row, ...AS_NEW })
      : (
          await tx
            .insert(bots)
            .values({ id, orgId, ...row })
            .onConflictDoNothing()
            .returning()
        )[0]
    if (!made) throw botTaken(account)
    await recordAudit(deps, tx, orgId, { action: 'bot.created', subject: subjectOf(made) })
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

/** Oldest first, without removed ones. */
export function listBots(deps: Deps, orgId: string): Promise<Bot[]> {
  return deps.database.read
    .select()
    .from(bots)
    .where(and(eq(bots.orgId, orgId), isNull(bots.deletedAt)))
    .orderBy(asc(bots.createdAt), asc(bots.id))
}

/** Throws 404. */
export async function readBot(deps: Deps, orgId: string, id: string): Promise<Bot> {
  const [bot] = isId('bot', id) ? await findBot(deps.database.read, { orgId, id }) : []
  if (!bot) throw notFound('bot')
  return bot
}

const findBot = statement('bot', { orgId: text, id: text }, (read: Reader, p) =>
  read
    .select()
    .from(bots)
    .where(and(eq(bots.orgId, p.orgId), eq(bots.id, p.id), isNull(bots.deletedAt))),
)

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
  return changeBot(deps, orgId, { id, action }, async (tx, before) => {
    const checked = checkSettings(deps, { ...settingsOf(before), ...settings })
    await requireAssignee(tx, orgId, checked.defaultAssignee, before.defaultAssignee)
    const after: Bot = { ...before, ...checked }
    if (!isNewToken && changedBotFields(before, after).length === 0) return before
    const set: Partial<Bot> = { ...checked, updatedAt: deps.clock.now() }
    if (checked.receives === 'webhook' && !before.webhook) Object.assign(set, webhookColumns(deps, id))
    if (!isNewToken) return saveBot(tx, before, set)
    // Earlier failures say nothing about the new token.
    await retryLane(tx, id, deps.clock.now())
    return saveBot(tx, before, {
      ...set,
      ...accountColumns(account),
      ...NO_BOT_PROBLEM,
      token: deps.encryption.encrypt(token.trim(), id),
      state: before.state === 'paused' ? 'paused' : 'active',
    })
  })
}

/**
 * Changes a bot with its row locked, after the organization's, and records the change in the audit log unless nothing
 * changed. Throws 404.
 */
export function changeBot(
  deps: Deps,
  orgId: string,
  { id, action }: { id: string; action: string },
  change: (tx: Transaction, before: Bot) => Promise<Bot>,
): Promise<Bot> {
  if (!isId('bot', id)) throw notFound('bot')
  return deps.database.write(async (tx) => {
    await recordWorkspaceChange(deps, tx, orgId)
    const before = await lockBot(tx, orgId, id)
    if (!before) throw notFound('bot')
    const after = await change(tx, before)
    if (after === before) return before
    const fields = changedBotFields(before, after)
    await recordAudit(deps, tx, orgId, {
      action,
      subject: subjectOf(after),
      ...(fields.length > 0 && { detail: { fields } }),
    })
    return after
  })
}

/** Undefined for a removed one. */
export async function lockBot(tx: Transaction, orgId: string, id: string): Promise<Bot | undefined> {
  const [locked] = await lock(tx, { orgId, id })
  return locked
}

const lock = statement('bot_lock', { orgId: text, id: text }, (tx, p) =>
  tx
    .update(bots)
    .set({ updatedAt: sql`${bots.updatedAt}` })
    .where(and(eq(bots.orgId, p.orgId), eq(bots.id, p.id), isNull(bots.deletedAt)))
    .returning(),
)

export async function saveBot(tx: Transaction, before: Bot, set: Partial<Bot>): Promise<Bot> {
  const [saved] = await tx
    .update(bots)
    .set(set)
    .where(and(eq(bots.orgId, before.orgId), eq(bots.id, before.id)))
    .returning()
  if (!saved) throw new Error(`The bot ${before.id} is missing.`)
  return saved
}

function subjectOf({ id, username }: Bot): { id: string; label: string } {
  return { id, label: `@${username}` }
}

function accountColumns({ telegramId, username }: BotAccount) {
  return { telegramId, username }
}

function settingsOf({ name, greeting, newTicketAfterDays, showsTyping, defaultAssignee, receives }: Bot) {
  return { name, greeting, newTicketAfterDays, showsTyping, defaultAssignee, receives }
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

/** The default assignee that is already stored may have been disabled since. */
async function requireAssignee(tx: Transaction, orgId: string, id: string, known = ''): Promise<void> {
  if (id === '' || id === known) return
  const isEnabled = and(eq(agents.orgId, orgId), eq(agents.id, id), isNull(agents.disabledAt))
  const [agent] = await tx.select({ id: agents.id }).from(agents).where(isEnabled)
  if (agent) return
  const detail = 'No enabled agent has this id.'
  throw invalid([{ pointer: '/defaultAssignee', code: 'unknown_agent', detail }])
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
