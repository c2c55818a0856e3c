import { countAllBots } from '../channels/telegram/bots/bot-health.ts'
import type { Deps } from '../deps.ts'
import type { Metric } from './prometheus-text.ts'

/**
 * Measures the Telegram bots of all organizations: their states and received updates. Outgoing messages count as sends.
 */
export async function telegramMetrics(deps: Deps): Promise<Metric[]> {
  const { states, pending, oldestPendingAt, unknown } = await countAllBots(deps)
  const age = oldestPendingAt === null ? 0 : Math.max(0, deps.clock.now() - oldestPendingAt) / 1000
  return [
    {
      name: 'bellhop_bots',
      help: 'Telegram bots by state.',
      type: 'gauge',
      values: Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
    },
    gauge('bellhop_telegram_updates_waiting', 'Updates from Telegram still to be processed.', pending),
    gauge(
      'bellhop_telegram_oldest_update_seconds',
      'Age of the oldest update from Telegram that is still to be processed.',
      age,
    ),
    gauge(
      'bellhop_telegram_unknown_updates',
      'Updates from Telegram that Bellhop does not know or could not read, of the bots that are connected.',
      unknown,
    ),
  ]
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] }
}
