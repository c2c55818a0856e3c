import { and, eq, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { bots, telegramConversations } from '../../database/tables/bots.ts'
import { tickets } from '../../database/tables/tickets.ts'
import { widgetConversations, widgets } from '../../database/tables/widgets.ts'
import type { Deps } from '../../deps.ts'
import { AppError, invalid } from '../../errors.ts'
import { isId } from '../../ids.ts'

/** How long a visitor may take from the website to Telegram. */
const VALID_MS = 3_600_000
/**
 * A start parameter of Telegram has at most 64 characters, letters, digits, `_` and `-`: the ticket's id without its prefix,
 * the time of expiry in seconds, and a signature.
 */
const TOKEN = /^([0-9a-z]{26})-([0-9a-z]{1,9})-([0-9a-z]{16})$/
const USE = 'telegram link'

/**
 * The address that continues a visitor's conversation in Telegram. It is signed, not stored: it works for an hour, until a
 * chat has taken the conversation over. Throws 409 when the widget leads to no bot that works.
 */
export async function telegramLink(
  deps: Deps,
  { orgId, ticketId, widgetId }: { orgId: string; ticketId: string; widgetId: string },
): Promise<string> {
  const { read } = deps.database
  const [bot] = await read
    .select({ id: bots.id, username: bots.username, state: bots.state })
    .from(widgets)
    .innerJoin(
      bots,
      and(eq(bots.orgId, widgets.orgId), eq(bots.id, widgets.telegramBotId), isNull(bots.deletedAt)),
    )
    .where(matches(widgets, { orgId, id: widgetId }))
  if (bot?.state !== 'active') throw unavailable('Telegram is not available here at the moment.')
  if (await isTaken(read, { orgId, ticketId }))
    throw unavailable('This conversation continues in Telegram already.')
  const expiresAt = Math.floor((deps.clock.now() + VALID_MS) / 1000)
  const signature = deps.encryption.sign(USE, signedText({ botId: bot.id, ticketId, expiresAt }))
  const token = `${ticketId.slice(4)}-${expiresAt.toString(36)}-${signature}`
  return `https://t.me/${bot.username}?start=${token}`
}

/** The conversation of a link that someone has followed to this bot. Undefined for every other text after `/start`. */
export async function claimTelegramLink(
  { clock, encryption }: Pick<Deps, 'clock' | 'encryption'>,
  tx: Transaction,
  { orgId, botId, token }: { orgId: string; botId: string; token: string },
): Promise<{ ticketId: string; customerId: string } | undefined> {
  const [, id = '', expiry = '', signature = ''] = TOKEN.exec(token) ?? []
  const ticketId = `tkt_${id}`
  const expiresAt = Number.parseInt(expiry, 36)
  if (!isId('tkt', ticketId) || expiresAt * 1000 < clock.now()) return undefined
  if (!encryption.isSigned(USE, signedText({ botId, ticketId, expiresAt }), signature)) return undefined
  const [found] = await tx
    .select({ ticketId: tickets.id, customerId: tickets.customerId })
    .from(widgetConversations)
    .innerJoin(tickets, matches(tickets, { orgId: widgetConversations.orgId, id: ticketId }))
    .where(matches(widgetConversations, { orgId, ticketId }))
  return found
}

/** Throws 400 for a bot that isn't one of the organization's. Empty is none. */
export async function requireLinkedBot(orgId: string, id: string, read: Reader): Promise<void> {
  if (id === '') return
  const isThis = and(eq(bots.orgId, orgId), eq(bots.id, id), isNull(bots.deletedAt))
  const [bot] = isId('bot', id) ? await read.select({ id: bots.id }).from(bots).where(isThis) : []
  if (bot) return
  const detail = 'There is no Telegram bot with this id.'
  throw invalid([{ pointer: '/telegramBotId', code: 'unknown_bot', detail }])
}

async function isTaken(
  read: Reader,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<boolean> {
  const some = await read
    .select({ ticketId: telegramConversations.ticketId })
    .from(telegramConversations)
    .where(matches(telegramConversations, { orgId, ticketId }))
  return some.length > 0
}

function signedText(link: { botId: string; ticketId: string; expiresAt: number }): string {
  return `${link.botId} ${link.ticketId} ${link.expiresAt}`
}

function unavailable(detail: string): AppError {
  return new AppError(409, 'telegram_not_offered', detail)
}
