import { and, isNull } from 'drizzle-orm'
import { bots } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import type { Loop } from '../../../loop.ts'
import { MAX_FAILING_MS, startLaneAlerts } from '../../lane-alerts.ts'
import { botFailingSince, healthOfBot } from './bot-health.ts'
import type { Bot } from './bot-rows.ts'
import { listBots, lockBot, saveBot } from './bots.ts'

/** Problems that administrators should fix now, of the oldest bot first. */
export async function botProblems(deps: Deps, orgId: string): Promise<Bot[]> {
  const now = deps.clock.now()
  return (await listBots(deps, orgId)).filter((bot) => bot.missedSince !== null || isProblem(bot, now))
}

/** If another program fetches the messages, it may stop soon. */
function isProblem(bot: Bot, now: number): boolean {
  switch (healthOfBot(bot)) {
    case 'refused':
    case 'webhook':
      return true
    case 'taken':
    case 'failing':
      return now - (botFailingSince(bot) ?? now) >= MAX_FAILING_MS
    default:
      return false
  }
}

/** Tells open pages to show a banner about each bot that has been failing for ten minutes. */
export function startBotAlerts(deps: Deps): Loop {
  return startLaneAlerts(deps, 'bot_alerts', {
    listQuiet: () =>
      deps.database.read
        .select()
        .from(bots)
        .where(and(isNull(bots.deletedAt), isNull(bots.alertedAt))),
    isProblem,
    lock: lockBot,
    saveAlerted: (tx, bot, alertedAt) => saveBot(tx, bot, { alertedAt }),
  })
}
