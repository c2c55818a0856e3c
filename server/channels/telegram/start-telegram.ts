import { ne } from 'drizzle-orm'
import { bots } from '../../database/tables/bots.ts'
import type { Deps } from '../../deps.ts'
import type { Loop } from '../../loop.ts'
import { startReceiving } from '../accounts/receive-accounts.ts'
import type { LiveTyping } from '../channel.ts'
import { createBotApi } from './bot-api/bot-api.ts'
import { startBotAlerts } from './bots/bot-health.ts'
import { botAccounts } from './bots/bots.ts'
import { startFetchingFiles } from './inbound/late-files.ts'
import { receiveUpdates } from './inbound/poll-bot.ts'
import { startProcessingUpdates } from './inbound/process-updates.ts'
import { startPruningUpdates } from './inbound/updates.ts'
import { startShowingTyping } from './outbound/show-typing.ts'

/** Receives updates of bots and turns them into messages, and shows customers when an agent types. */
export function startTelegramReceiving(deps: Deps, live: LiveTyping): Pick<Loop, 'stop'> {
  const api = createBotApi({ clock: deps.clock, root: deps.config.telegramApi })
  const processing = startProcessingUpdates(deps, api)
  const receiving = startReceiving(deps, botAccounts, {
    // Also what Telegram refuses now: that may end without a change here.
    isActive: ne(bots.state, 'paused'),
    receive: (bot, signal) => receiveUpdates(deps, bot, { api, onStored: processing.wake }, signal),
  })
  const others = [
    startFetchingFiles(deps, api),
    startBotAlerts(deps),
    startPruningUpdates(deps),
    startShowingTyping(deps, live),
  ]
  return {
    async stop() {
      await Promise.all([receiving.stop(), ...others.map((loop) => loop.stop())])
      await processing.stop()
      api.close()
    },
  }
}
