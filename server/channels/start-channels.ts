import { isNull } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { bots } from '../database/tables/bots.ts'
import { mailboxes } from '../database/tables/mailboxes.ts'
import type { Deps } from '../deps.ts'
import type { Live } from '../live/live.ts'
import { type Loop, startLoop } from '../loop.ts'

/** The shortest pause between two checks for a first mailbox or bot after commits. */
const MIN_REST_MS = 500
const REST_MS = 60_000

interface Given {
  live: Pick<Live, 'onTyping'>
  /** Called with the outcome of each attempt to send a message. */
  onSendAttempt?: (outcome: string) => void
}

/** What runs once a channel is used. */
type Part = 'email' | 'unread emails' | 'telegram' | 'typing' | 'outbound'

/** Starts a channel's loops once an organization uses it. Until then nothing of it is loaded. */
export function startChannels(deps: Deps, given: Given): Pick<Loop, 'stop'> {
  const running = new Map<Part, Pick<Loop, 'stop'>>()
  let lookedAt = Number.NEGATIVE_INFINITY

  async function startEmailChannel(): Promise<void> {
    const [{ startEmail }, { startUnreadEmails }] = await Promise.all([
      import('./email/start-email.ts'),
      import('./widget/unread-emails.ts'),
    ])
    startOnce('email', () => startEmail(deps))
    startOnce('unread emails', () => startUnreadEmails(deps))
  }

  async function startTelegramChannel(): Promise<void> {
    const [{ startTelegramReceiving }, { startShowingTyping }] = await Promise.all([
      import('./telegram/start-telegram.ts'),
      import('./telegram/outbound/show-typing.ts'),
    ])
    startOnce('telegram', () => startTelegramReceiving(deps))
    startOnce('typing', () => startShowingTyping(deps, given.live))
  }

  /** All channels send through the same loop. */
  async function startSends(): Promise<void> {
    const { startOutbound } = await import('./start-outbound.ts')
    startOnce('outbound', () => startOutbound(deps, given.onSendAttempt))
  }

  function startOnce(part: Part, start: () => Pick<Loop, 'stop'>): void {
    if (!running.has(part)) running.set(part, start())
  }

  const loop = startLoop(deps, 'channels', async () => {
    if (running.has('email') && running.has('telegram')) return REST_MS
    const rest = lookedAt + MIN_REST_MS - deps.clock.monotonic()
    if (rest > 0) return rest
    lookedAt = deps.clock.monotonic()
    const [mailbox] = await anyMailbox(deps.database.read, {})
    const [bot] = await anyBot(deps.database.read, {})
    if (mailbox || bot) await startSends()
    if (mailbox) await startEmailChannel()
    if (bot) await startTelegramChannel()
    return REST_MS
  })

  return {
    async stop() {
      await loop.stop()
      await Promise.all([...running.values()].map((each) => each.stop()))
    },
  }
}

const anyMailbox = statement<Record<string, never>, { id: string }[], Reader>('channels_mailbox', (read) =>
  read.select({ id: mailboxes.id }).from(mailboxes).where(isNull(mailboxes.deletedAt)).limit(1),
)

const anyBot = statement<Record<string, never>, { id: string }[], Reader>('channels_bot', (read) =>
  read.select({ id: bots.id }).from(bots).where(isNull(bots.deletedAt)).limit(1),
)
