import { and, isNull } from 'drizzle-orm'
import { bots } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { type Loop, startPeriodic } from '../../../loop.ts'
import { botFailingSince, healthOfBot } from './bot-health.ts'
import type { Bot } from './bot-rows.ts'
import { listBots, lockBot, saveBot } from './bots.ts'

/** How long a bot may fail before every administrator sees a banner. */
const MAX_FAILING_MS = 600_000
const CHECK_EVERY_MS = 15_000

/** What administrators should do something about now, oldest bot first. */
export async function botProblems(deps: Deps, orgId: string): Promise<Bot[]> {
  const now = deps.clock.now()
  return (await listBots(deps, orgId)).filter((bot) => bot.missedSince !== null || isProblem(bot, now))
}

/** Another program that fetches the messages may stop soon. */
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

/** Has open pages show a banner about each bot that has been failing for ten minutes. */
export function startBotAlerts(deps: Deps): Loop {
  return startPeriodic(deps, 'bot_alerts', {
    everyMs: CHECK_EVERY_MS,
    slice: async () => {
      await alertAdministrators(deps)
      return false
    },
  })
}

async function alertAdministrators(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  const quiet = await deps.database.read
    .select()
    .from(bots)
    .where(and(isNull(bots.deletedAt), isNull(bots.alertedAt)))
  for (const { orgId, id } of quiet.filter((bot) => isProblem(bot, now))) {
    await deps.database.write(async (tx) => {
      await recordWorkspaceChange(deps, tx, orgId)
      const before = await lockBot(tx, orgId, id)
      if (before && isProblem(before, now)) await saveBot(tx, before, { alertedAt: now })
    })
  }
}
