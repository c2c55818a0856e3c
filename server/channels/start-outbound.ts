import type { Deps } from '../deps.ts'
import type { Loop } from '../loop.ts'
import { startPruningSends } from '../sends/prune-sends.ts'
import { startSending } from '../sends/sending-loop.ts'
import type { Transport } from '../sends/transport.ts'

/** Sends the messages of every channel that Bellhop sends through itself. A channel is loaded with its first message. */
export function startOutbound(deps: Deps, onSendAttempt?: (outcome: string) => void): Pick<Loop, 'stop'> {
  const transports = { email: () => emailTransport(deps), telegram: () => telegramTransport(deps) }
  const sending = startSending(deps, transports, onSendAttempt)
  const pruning = startPruningSends(deps)
  return {
    async stop() {
      await Promise.all([sending.stop(), pruning.stop()])
    },
  }
}

async function emailTransport(deps: Deps): Promise<Transport> {
  const [{ createEmailTransport }, { createMailDialer }] = await Promise.all([
    import('./email/outbound/email-transport.ts'),
    import('./email/mail-account.ts'),
  ])
  return createEmailTransport(deps, { clock: deps.clock, dialer: createMailDialer(deps) })
}

async function telegramTransport(deps: Deps): Promise<Transport> {
  const [{ createTelegramTransport }, { createBotApi }] = await Promise.all([
    import('./telegram/outbound/telegram-transport.ts'),
    import('./telegram/bot-api/bot-api.ts'),
  ])
  return createTelegramTransport(deps, createBotApi({ clock: deps.clock, root: deps.config.telegramApi }))
}
