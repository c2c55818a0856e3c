import { and, eq, isNull } from 'drizzle-orm'
import type { Reader } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { statement, text } from '../../../database/statement.ts'
import { bots, type FrozenTelegram } from '../../../database/tables/bots.ts'
import { messages } from '../../../database/tables/messages.ts'
import type { Deps } from '../../../deps.ts'
import type { AttemptResult, Transport } from '../../channel.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'
import { saveChatState } from '../inbound/chats.ts'
import { createPace } from './pace.ts'
import { isByTelegram, type TelegramSend } from './plan-telegram.ts'
import { recordPart, recordTargets, recordUnanswered } from './record-part.ts'
import { type SendStep, stepsOf } from './send-steps.ts'

/** How soon a message is sent again if Telegram didn't respond to it. */
const REPEAT_AFTER_MS = 30_000
/** For a 429 that doesn't say how long. */
const DEFAULT_WAIT_MS = 5_000
const ACTIONS: Record<FrozenTelegram['action'], string> = {
  send: '',
  edit: "The edit didn't reach the customer. ",
  delete: 'The customer still sees the message. ',
}

/** Sends the messages of bots. */
export function createTelegramTransport(deps: Deps, api: BotApi): Transport {
  const pace = createPace(deps)
  const closing = new AbortController()

  async function attempt(send: TelegramSend): Promise<AttemptResult> {
    const token = await findToken(deps, send)
    if (token === undefined) return failedResult(send.content, 'The bot was removed.')
    const files = await openFiles(deps, send.content)
    if ('fault' in files) return failedResult(send.content, files.fault)
    const open = (hash: string) => files.blobs.get(hash)?.stream() ?? new Blob([]).stream()
    let content = send.content.action === 'delete' ? await recordTargets(deps, send) : send.content
    for (const step of stepsOf({ api, token, open }, content)) {
      if (content.action === 'send' && (await isTakenBack(deps, send))) break
      const result = await take({ ...send, content }, step)
      if ('fault' in result) return result
      content = result
    }
    return sentResult(content, content.done.flat().at(0)?.toString())
  }

  /** Makes one request. Its result is on disk before the next one, so that a crash repeats at most one. */
  async function take(send: TelegramSend, step: SendStep): Promise<FrozenTelegram | AttemptResult> {
    const place = { botId: send.laneId, chatId: send.content.chatId }
    try {
      const limited = pace.limitOf(place)
      if (limited) return limitedResult(limited)
      await pace.wait(place, step.messages, closing.signal)
      const limitedMeanwhile = pace.limitOf(place)
      if (limitedMeanwhile) return limitedResult(limitedMeanwhile)
      const ids = await step.call(closing.signal)
      if (step.messages > 0) pace.sent(place)
      return await recordPart(deps, send, ids)
    } catch (error) {
      if (closing.signal.aborted) return { outcomes: [], error: '', fault: 'interrupted' }
      if (!(error instanceof BotApiError)) throw error
      return resultOf(send, step, error)
    }
  }

  async function resultOf(send: TelegramSend, step: SendStep, error: BotApiError): Promise<AttemptResult> {
    const { content } = send
    const wait = waitOf(error)
    if (wait !== undefined) {
      const place = { botId: send.laneId, chatId: content.chatId }
      return limitedResult(pace.limit(place, wait), error.message)
    }
    const state = chatStateOf(error)
    if (state) {
      const { orgId, laneId: id } = send
      const change = { chatId: content.chatId, state }
      await deps.database.write(orgId, (tx) => saveChatState(deps, tx, { orgId, id }, change))
    }
    if (error.kind !== 'unanswered' || step.isRepeatable) return resultOfError(content, error)
    if (content.unanswered > 0) {
      return failedResult(content, "Telegram didn't respond, twice. The message may have arrived.")
    }
    await recordUnanswered(deps, send)
    const sentence = "Telegram didn't respond. The message may have arrived. Bellhop sends it once more."
    return { outcomes: [], error: sentence, fault: 'message', retryAt: deps.clock.now() + REPEAT_AFTER_MS }
  }

  function limitedResult(
    { isBot, milliseconds }: { isBot: boolean; milliseconds: number },
    error = 'Telegram is limiting messages for a moment.',
  ): AttemptResult {
    const retryAt = deps.clock.now() + Math.ceil(milliseconds)
    return { outcomes: [], error, fault: isBot ? 'account limited' : 'limited', retryAt }
  }

  return {
    attempt(send) {
      if (!isByTelegram(send)) throw new Error(`The send ${send.id} isn't a Telegram message.`)
      return attempt(send)
    },
    async close() {
      closing.abort(new Error('The server is stopping.'))
      api.close()
    },
  }
}

async function findToken(deps: Deps, { orgId, laneId }: TelegramSend): Promise<string | undefined> {
  const [bot] = await deps.database.read
    .select({ id: bots.id, token: bots.token })
    .from(bots)
    .where(and(eq(bots.orgId, orgId), eq(bots.id, laneId), isNull(bots.deletedAt)))
  return bot?.token ? deps.encryption.decrypt(bot.token, bot.id) : undefined
}

/** Then the rest of it isn't sent. Its deletion follows. */
async function isTakenBack(deps: Deps, { orgId, messageId }: TelegramSend): Promise<boolean> {
  if (messageId === null) return false
  const [message] = await findTakenBack(deps.database.read, { orgId, messageId })
  return message !== undefined && message.takenBackAt !== null
}

const findTakenBack = statement('telegram_taken_back', { orgId: text, messageId: text }, (read: Reader, p) =>
  read
    .select({ takenBackAt: messages.takenBackAt })
    .from(messages)
    .where(matches(messages, { orgId: p.orgId, id: p.messageId })),
)

/** Checks the files of all remaining parts before anything is sent. */
async function openFiles(
  deps: Deps,
  { action, parts, done }: FrozenTelegram,
): Promise<{ blobs: Map<string, Blob> } | { fault: string }> {
  const blobs = new Map<string, Blob>()
  const left = action === 'send' ? parts.slice(done.length) : []
  for (const { hash, name } of left.flatMap((part) => (part.kind === 'files' ? part.files : []))) {
    const opened = await deps.files.open(hash)
    if ('fault' in opened) {
      const what = opened.fault === 'missing' ? 'is missing' : 'was changed'
      return { fault: `The file "${name}" ${what} on the Bellhop server.` }
    }
    blobs.set(hash, opened.file)
  }
  return { blobs }
}

/** The result of a send that failed for good. */
function failedResult({ chatId, action }: FrozenTelegram, reason: string): AttemptResult {
  const detail = `${ACTIONS[action]}${reason}`
  return { outcomes: [{ address: chatId, state: 'failed', detail }], error: '', fault: 'message' }
}

function sentResult({ chatId }: FrozenTelegram, externalId: string | undefined): AttemptResult {
  const outcomes = [{ address: chatId, state: 'sent' as const, detail: '' }]
  return { outcomes, error: '', fault: 'none', ...(externalId !== undefined && { externalId }) }
}

/** The result for a refusal or a failed connection, except for a 429 and a message without a response. */
function resultOfError(content: FrozenTelegram, error: BotApiError): AttemptResult {
  const { kind, code, message } = error
  const open = { outcomes: [], error: message }
  if (kind === 'interrupted') return { ...open, error: '', fault: 'interrupted' }
  if (kind === 'not_sent') return { ...open, fault: 'account' }
  if (kind === 'unanswered' || code >= 500) return { ...open, fault: 'message' }
  if (code === 401 || code === 404) return { ...open, fault: 'sign in' }
  return failedResult(content, sentenceOf(error))
}

/** How long Telegram asks to wait; undefined for other responses. */
function waitOf({ code, retryAfterMs }: BotApiError): number | undefined {
  return code === 429 ? (retryAfterMs ?? DEFAULT_WAIT_MS) : undefined
}

/** The state of a chat that Telegram refuses messages for; undefined for another refusal. */
function chatStateOf({ code, description }: BotApiError): 'blocked' | 'deleted' | undefined {
  if (code !== 403) return undefined
  return /deactivated/i.test(description) ? 'deleted' : 'blocked'
}

function sentenceOf(error: BotApiError): string {
  const { code, description, message } = error
  if (chatStateOf(error) === 'deleted') return 'The customer deleted their Telegram account.'
  if (code === 403 && /blocked/i.test(description)) return 'The customer blocked the bot.'
  if (/chat not found/i.test(description)) return 'This chat no longer exists in Telegram.'
  if (code === 413) return 'The files are too large for Telegram.'
  return message.replace(/(?:Bad Request|Forbidden): /, '')
}
