import { isoTime, isoTimeOrNull } from '../../../dates.ts'
import type { Deps } from '../../../deps.ts'
import { failingSince } from '../../accounts/receiving-health.ts'
import { type BotQueue, countQueues, healthOfBot } from './bot-health.ts'
import type { Bot } from './bot-rows.ts'

/** With what waits in their queues. */
export async function viewBots(deps: Deps, orgId: string, bots: Bot[]) {
  const queues = await countQueues(deps, orgId)
  return bots.map((bot) => viewBot(bot, queues.get(bot.id)))
}

const EMPTY: BotQueue = { incoming: 0, outgoing: 0 }

/** A bot with its health, without its secrets. Times are ISO 8601 or null. */
export function viewBot(bot: Bot, queue = EMPTY) {
  return {
    id: bot.id,
    name: bot.name,
    username: bot.username,
    /** Opens the chat with it. */
    url: `https://t.me/${bot.username}`,
    state: healthOfBot(bot),
    detail: detailOf(bot),
    receives: bot.receives,
    greeting: bot.greeting,
    newTicketAfterDays: bot.newTicketAfterDays,
    showsTyping: bot.showsTyping,
    defaultAssignee: bot.defaultAssignee === '' ? null : bot.defaultAssignee,
    lastUpdateAt: isoTimeOrNull(bot.lastUpdateAt),
    lastSentAt: isoTimeOrNull(bot.lastSentAt),
    lastCheckedAt: isoTimeOrNull(bot.lastCheckedAt),
    receiveError: bot.receiveError || null,
    sendError: bot.sendError || null,
    receiveFailingSince: isoTimeOrNull(bot.receiveFailingSince),
    sendFailingSince: isoTimeOrNull(bot.sendFailingSince),
    foreignWebhook: bot.foreignWebhook || null,
    missedSince: isoTimeOrNull(bot.missedSince),
    queue,
    unknownUpdates: bot.unknownUpdates,
    createdAt: isoTime(bot.createdAt),
    updatedAt: isoTime(bot.updatedAt),
  }
}

/** For the banner of administrators. */
export function viewBotProblem(bot: Bot) {
  return {
    id: bot.id,
    name: bot.name,
    username: bot.username,
    state: healthOfBot(bot),
    since: isoTime(failingSince(bot) ?? bot.missedSince ?? bot.updatedAt),
    detail: detailOf(bot),
  }
}

/** The state in a sentence. */
function detailOf(bot: Bot): string {
  switch (healthOfBot(bot)) {
    case 'active':
      return activeDetail(bot)
    case 'connecting':
      return 'Bellhop has not reached Telegram yet.'
    case 'paused':
      return 'Paused. Telegram keeps what customers write for 24 hours.'
    case 'failing':
      return bot.receiveError || bot.sendError
    case 'refused':
      return bot.receiveError || bot.sendError
    case 'taken':
      return "Another program is receiving this bot's messages. Stop it, or give this bot a new token."
    case 'webhook':
      return `A webhook at ${bot.foreignWebhook} is receiving this bot's messages. Remove it to receive them here.`
  }
}

function activeDetail({ missedSince, receives, lastSentAt }: Bot): string {
  if (missedSince !== null) {
    return "Messages may be missing: Telegram keeps them for 24 hours, and Bellhop didn't fetch them for longer than that."
  }
  if (lastSentAt === null) return 'Receives messages. None has been sent yet.'
  return receives === 'webhook'
    ? 'Receives messages by webhook, and sends them.'
    : 'Receives and sends messages.'
}
