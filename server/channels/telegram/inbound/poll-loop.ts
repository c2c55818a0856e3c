import { and, isNull, ne } from 'drizzle-orm'
import { bots } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import type { Loop } from '../../../loop.ts'
import { startLanes } from '../../receiving-lanes.ts'
import { type BotReceivingDeps, receiveUpdates } from './poll-bot.ts'

/** Receives the updates of all bots that are not paused: what refuses them now may end without a change here. */
export function startReceivingUpdates(deps: Deps, receiving: BotReceivingDeps): Loop {
  return startLanes(deps, 'bots', {
    table: bots,
    listActive: () =>
      deps.database.read
        .select()
        .from(bots)
        .where(and(ne(bots.state, 'paused'), isNull(bots.deletedAt))),
    receive: (bot, signal) => receiveUpdates(deps, bot, receiving, signal),
  })
}
