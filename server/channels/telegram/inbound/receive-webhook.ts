import { timingSafeEqual } from 'node:crypto'
import { and, eq, isNull } from 'drizzle-orm'
import type { Reader } from '../../../database/database.ts'
import { statement, text } from '../../../database/statement.ts'
import { bots } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, notFound } from '../../../errors.ts'
import { webhookHashOf, webhookOf } from '../bots/bot-rows.ts'
import { storeUpdates } from './updates.ts'

interface WebhookRequest {
  path: string
  /** Telegram's header. */
  secret: string
  /** Undefined when it is too large. */
  readBody: () => Promise<Uint8Array | undefined>
}

/**
 * Stores an update that Telegram sent, whatever is in it: Telegram would resend a refused one forever, and nothing
 * after it. Throws 404 for an unknown address or a wrong secret, and 503 while the bot is paused, so that Telegram
 * keeps the update.
 */
export async function receiveByWebhook(
  deps: Deps,
  { path, secret, readBody }: WebhookRequest,
): Promise<void> {
  const [bot] = await findByPath(deps.database.read, { hash: webhookHashOf(path) })
  const expected = bot && webhookOf(deps, bot)?.secret
  if (!bot || expected === undefined || !isEqual(secret, expected)) throw notFound('webhook')
  if (bot.state === 'paused' || bot.receives !== 'webhook') {
    throw new AppError(503, 'bot_paused', "This bot doesn't receive updates by webhook.")
  }
  await storeUpdates(deps, bot, { updates: [parsed(await readBody())] })
}

/** Anyone can request a path, so the query is built once. */
const findByPath = statement('bot_by_webhook', { hash: text }, (read: Reader, p) =>
  read
    .select()
    .from(bots)
    .where(and(eq(bots.webhookHash, p.hash), isNull(bots.deletedAt))),
)

/** What can't be read is counted as an unknown update. */
function parsed(body: Uint8Array | undefined): unknown {
  if (!body) return { unreadable: 'The update was too large.' }
  try {
    const update: unknown = JSON.parse(Buffer.from(body).toString())
    return update
  } catch {
    return { unreadable: 'The update was not valid JSON.' }
  }
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
