import { PartitionLost } from '../../../database/postgresql/fence.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { pauseFor } from '../../accounts/receive-accounts.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'
import { hostOf, isTokenRefused } from '../bots/bot-account.ts'
import { recordChecked, recordNotReceived } from '../bots/bot-health.ts'
import { type Bot, isOwnWebhook, tokenOf, webhookOf, webhookUrl } from '../bots/bot-rows.ts'
import { readBot } from '../bots/bots.ts'
import { offsetAfter, storeUpdates, UPDATE_KINDS } from './updates.ts'

/** How long Telegram holds a request while there are no updates. Seconds. */
const POLL_SECONDS = 50
/** While another program asks for the same updates, each request ends the other's. Seconds. */
const TAKEN_POLL_SECONDS = 10
/** How long to wait for the response after that. */
const MARGIN_MS = 15_000
const MAX_UPDATES = 100
/** Pauses after failures in a row. */
const PAUSES_MS = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000]
/** After a refused token, a foreign webhook or another poller: they can end without a change here, but rarely do. */
const REFUSED_PAUSE_MS = 300_000
const FOREIGN_PAUSE_MS = 60_000
const TAKEN_PAUSE_MS = 15_000
const WEBHOOK_CHECK_MS = 60_000
/** One at a time, so that a chat's updates arrive in their order. */
const WEBHOOK_CONNECTIONS = 1
/** If another poller is still running, it shows within this many requests. */
const QUIET_POLLS = 2

interface BotReceivingDeps {
  api: BotApi
  /** Called when updates have been stored. */
  onStored(): void
}

/** A webhook that is not ours gets the updates. */
class ForeignWebhook extends Error {
  constructor(readonly host: string) {
    super(`A webhook at ${host} is receiving this bot's messages.`)
  }
}

/**
 * Receives the updates of one bot until `signal` aborts: by polling, or with a webhook, by checking it regularly. After
 * a failure, it tries again after a pause, or when Telegram allows it. Also stores the bot's health.
 */
export async function receiveUpdates(
  deps: Deps,
  bot: Bot,
  receiving: BotReceivingDeps,
  signal: AbortSignal,
): Promise<void> {
  const token = tokenOf(deps, bot)
  if (token === undefined) return
  const session = { ...receiving, bot, token, signal }
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      if (bot.receives === 'webhook') await keepWebhook(deps, session)
      else
        await poll(deps, session, () => {
          failures = 0
        })
    } catch (thrown) {
      if (signal.aborted || isRemoved(thrown)) return
      if (thrown instanceof PartitionLost) throw thrown
      const error = await withoutOwnWebhook(deps, session, thrown)
      if (!error) continue
      await recordFailure(deps, bot, error)
      await pauseFor(deps, pauseAfter(error, failures), signal)
    }
  }
}

/** It ends a moment after the bot is removed. */
function isRemoved(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.status === 404
}

interface Session extends BotReceivingDeps {
  bot: Bot
  token: string
  signal: AbortSignal
}

/** The first request returns at once, so that the state of the bot is known at once. */
async function poll(deps: Deps, session: Session, onSuccess: () => void): Promise<void> {
  const { api, bot, token, signal, onStored } = session
  let seconds = 0
  let quietPolls = 0
  while (!signal.aborted) {
    const { offset, state } = await readBot(deps, bot.orgId, bot.id)
    const isTaken = state === 'taken'
    if (isTaken) seconds = TAKEN_POLL_SECONDS
    const updates: readonly unknown[] = await api.call(
      token,
      'getUpdates',
      {
        // Without one, Telegram brings whatever is not confirmed, also when ids have started over.
        ...(offset > 0 && { offset }),
        limit: MAX_UPDATES,
        timeout: seconds,
        allowed_updates: UPDATE_KINDS,
      },
      { signal, timeoutMs: seconds * 1000 + MARGIN_MS },
    )
    onSuccess()
    quietPolls += 1
    if (updates.length > 0) {
      const next = offsetAfter(updates)
      if (next === undefined) throw new Error('Telegram sent updates without ids.')
      if (await storeUpdates(deps, bot, { updates, offset: next })) onStored()
    } else if (!isTaken || quietPolls >= QUIET_POLLS) await recordChecked(deps, bot)
    seconds = POLL_SECONDS
  }
}

/**
 * Telegram allows no polling while a webhook is set. Removes one that this server set before; an administrator decides
 * about any other. Returns the error that remains.
 */
async function withoutOwnWebhook(deps: Deps, session: Session, thrown: unknown): Promise<unknown> {
  const { api, bot, token, signal } = session
  const isConflict = thrown instanceof BotApiError && thrown.code === 409 && !isTaken(thrown)
  if (!isConflict) return thrown
  try {
    const { url = '' } = await api.call(token, 'getWebhookInfo', undefined, { signal })
    if (url !== '' && !isOwnWebhook(deps, bot, url)) return new ForeignWebhook(hostOf(url))
    await api.call(token, 'deleteWebhook', {}, { signal })
    return undefined
  } catch (error) {
    return error
  }
}

/** Sets the webhook if it is missing, and checks regularly that it works. */
async function keepWebhook(deps: Deps, { api, bot, token, signal }: Session): Promise<void> {
  const webhook = webhookOf(deps, bot)
  if (!webhook) throw new Error(`The bot ${bot.id} has no webhook.`)
  const url = webhookUrl(deps, webhook)
  while (!signal.aborted) {
    const info = await api.call(token, 'getWebhookInfo', undefined, { signal })
    const isOurs = isOwnWebhook(deps, bot, info.url ?? '')
    if (info.url && !isOurs) throw new ForeignWebhook(hostOf(info.url))
    if (info.url !== url) {
      await api.call(
        token,
        'setWebhook',
        {
          url,
          secret_token: webhook.secret,
          max_connections: WEBHOOK_CONNECTIONS,
          allowed_updates: UPDATE_KINDS,
        },
        { signal },
      )
    }
    if (isFailing(deps, info)) {
      const words = info.last_error_message ?? 'no reason'
      const error = `Telegram can't reach this server at ${hostOf(url)}. It says: ${words}`
      await recordNotReceived(deps, bot, { error })
    } else await recordChecked(deps, bot)
    await pauseFor(deps, WEBHOOK_CHECK_MS, signal)
  }
}

/** Whether updates wait, and the newest attempt to deliver one has failed. */
function isFailing(
  { clock }: Deps,
  {
    pending_update_count: waiting,
    last_error_date: at,
  }: { pending_update_count: number; last_error_date?: number },
): boolean {
  return waiting > 0 && at !== undefined && clock.now() - at * 1000 < 2 * WEBHOOK_CHECK_MS
}

/** On a full disk this fails too. Receiving continues anyway, and the log says what happened. */
async function recordFailure(deps: Deps, bot: Bot, error: unknown): Promise<void> {
  try {
    await recordNotReceived(deps, bot, failureOf(deps, bot, error))
  } catch (failure) {
    deps.log.error('bot_health_not_saved', { botId: bot.id, error: failure })
  }
}

type NotReceived = Parameters<typeof recordNotReceived>[2]

/** Either Telegram failed, or this server, for example with a full disk. */
function failureOf(deps: Deps, { id }: Bot, error: unknown): NotReceived {
  if (error instanceof ForeignWebhook)
    return { error: error.message, foreignWebhook: error.host, state: 'active' }
  if (!(error instanceof BotApiError)) {
    deps.log.error('bot_receiving_failed', { botId: id, error })
    return { error: error instanceof Error ? error.message : String(error) }
  }
  if (isTokenRefused(error)) return { error: error.message, state: 'refused' }
  if (isTaken(error)) return { error: error.message, state: 'taken' }
  return { error: error.message }
}

function isTaken({ code, description }: BotApiError): boolean {
  return code === 409 && !/webhook/i.test(description)
}

/** The pause that Telegram asks for, if any. */
function pauseAfter(error: unknown, failures: number): number {
  if (error instanceof ForeignWebhook) return FOREIGN_PAUSE_MS
  if (error instanceof BotApiError) {
    if (error.retryAfterMs !== undefined) return error.retryAfterMs
    if (isTokenRefused(error)) return REFUSED_PAUSE_MS
    if (isTaken(error)) return TAKEN_PAUSE_MS
  }
  return PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0
}
