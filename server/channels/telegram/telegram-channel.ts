import { eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { statement, text } from '../../database/statement.ts'
import { bots, telegramChats, telegramFiles, telegramMessages } from '../../database/tables/bots.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { failedPlan } from '../../messages/sends/plan-sends.ts'
import { undoSecondsIn } from '../../messages/sends/undo-seconds.ts'
import type { Channel, ReplyDestination, Sending, Way } from '../channel.ts'
import { telegramErasure } from './inbound/erase-chats.ts'
import { telegramChanges } from './outbound/change-telegram.ts'
import { planTelegram, resendTelegram, telegramSend } from './outbound/plan-telegram.ts'
import { findTelegramWay, labelOf, reasonToWait, type TelegramWay } from './outbound/telegram-way.ts'

const SECOND_MS = 1_000

const sending: Sending = {
  // For different chats, and each waits until its chat can get the next message.
  maxAtOnce: 32,
  // In a chat, people wait for the answer.
  firstDelaysMs: [5, 20, 60, 300, 900, 1_800].map((seconds) => seconds * SECOND_MS),
  async findAccount(read, id) {
    const [bot] = await findBot(read, { id })
    return (
      bot && {
        ...bot,
        label: labelOf(bot),
        waits: reasonToWait(bot),
        saveHealth: async (tx, change) => {
          await tx.update(bots).set(change).where(eq(bots.id, id))
        },
      }
    )
  },
  recipientsOf: (send) => [telegramSend(send).content.chatId],
  // The id of a chat means nothing to agents.
  namesRecipients: false,
  async openTransport(deps) {
    const [{ createTelegramTransport }, { createBotApi }] = await Promise.all([
      import('./outbound/telegram-transport.ts'),
      import('./bot-api/bot-api.ts'),
    ])
    return createTelegramTransport(deps, createBotApi({ clock: deps.clock, root: deps.config.telegramApi }))
  },
  resend: resendTelegram,
}

export const telegramChannel: Channel = {
  kind: 'telegram',
  name: 'Telegram',
  isByAddress: false,
  async way(_, read, { id: ticketId, orgId }) {
    const chat = await findTelegramWay(read, { orgId, ticketId })
    if (!chat) return missing('No Telegram bot is connected.')
    if (chat.bot.deletedAt === null) return wayOf(chat)
    return missing(`The bot @${chat.bot.username} was removed.`, chat)
  },
  async continuedWay(read, { id: ticketId, orgId }) {
    const chat = await findTelegramWay(read, { orgId, ticketId })
    return chat?.bot.deletedAt === null ? wayOf(chat) : undefined
  },
  undoSeconds: undoSecondsIn('telegram', organizations.undoTelegramSeconds),
  sending,
  changes: telegramChanges,
  accounts: bots,
  erasure: telegramErasure,
  rowsOfMessages: [telegramMessages, telegramFiles],
  rowsOfCustomers: [
    {
      name: 'telegramChat',
      table: telegramChats,
      key: sql<string>`${telegramChats.botId} || ' ' || ${telegramChats.chatId}`,
    },
  ],
  async start(deps, live) {
    const { startTelegramReceiving } = await import('./start-telegram.ts')
    return startTelegramReceiving(deps, live)
  },
}

function wayOf(way: TelegramWay): Way {
  return {
    by: 'telegram',
    plan: async (deps, _, outgoing) => planTelegram(deps, outgoing, way),
    destination: async () => ({ chat: viewChat(way), ...problemOf(way) }),
  }
}

function problemOf({ bot, chat: { name, state } }: TelegramWay): Pick<ReplyDestination, 'problem'> {
  const waits = reasonToWait(bot)
  if (waits !== undefined) {
    const fix = { id: bot.id, by: bot.state === 'paused' ? ('resume' as const) : ('reconnect' as const) }
    return { problem: { reason: waits, effect: 'waits', setting: 'telegram', fix } }
  }
  if (state === 'active') return {}
  const did = state === 'deleted' ? 'deleted their Telegram account' : 'blocked the bot'
  return { problem: { reason: `${name || 'The customer'} ${did}.`, effect: 'fails' } }
}

/** The channel isn't connected. `chat` is that of a bot that was removed. */
function missing(reason: string, chat?: TelegramWay): Way {
  return {
    by: 'nothing',
    plan: async () => failedPlan(reason, 'telegram'),
    destination: async () => ({
      ...(chat && { chat: viewChat(chat) }),
      problem: { reason, effect: 'fails', setting: 'telegram' },
    }),
  }
}

/** No user name is null. */
function viewChat({ bot, chat: { name, username } }: TelegramWay): ReplyDestination['chat'] {
  return { bot: `@${bot.username}`, name, username: username || null }
}

const findBot = statement('sends_bot', { id: text }, (read: Reader | Transaction, p) =>
  read
    .select({
      id: bots.id,
      orgId: bots.orgId,
      username: bots.username,
      state: bots.state,
      sendError: bots.sendError,
      receiveFailingSince: bots.receiveFailingSince,
      deletedAt: bots.deletedAt,
      updatedAt: bots.updatedAt,
    })
    .from(bots)
    .where(eq(bots.id, p.id)),
)
