import { isNull } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { mailboxes } from '../database/tables/mailboxes.ts'
import type { Deps } from '../deps.ts'
import { type Loop, startLoop } from '../loop.ts'

/** At most this often it looks for a first mailbox after commits. */
const MIN_REST_MS = 500
const REST_MS = 60_000

interface Given {
  /** Called with the outcome of each attempt to send a message. */
  onSendAttempt?: (outcome: string) => void
}

/** Starts a channel's loops once an organization uses it. Until then nothing of it is loaded. */
export function startChannels(deps: Deps, given: Given = {}): Pick<Loop, 'stop'> {
  let email: Pick<Loop, 'stop'> | undefined
  let unreadEmails: Loop | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  const loop = startLoop(deps, 'channels', async () => {
    if (email) return REST_MS
    const rest = lookedAt + MIN_REST_MS - deps.clock.monotonic()
    if (rest > 0) return rest
    lookedAt = deps.clock.monotonic()
    const [mailbox] = await anyMailbox(deps.database.read, {})
    if (!mailbox) return REST_MS
    const [{ startEmail }, { startUnreadEmails }] = await Promise.all([
      import('./email/start-email.ts'),
      import('./widget/unread-emails.ts'),
    ])
    email = startEmail(deps, given)
    unreadEmails = startUnreadEmails(deps)
    return REST_MS
  })

  return {
    async stop() {
      await loop.stop()
      await Promise.all([email?.stop(), unreadEmails?.stop()])
    },
  }
}

const anyMailbox = statement<Record<string, never>, { id: string }[], Reader>('channels_mailbox', (read) =>
  read.select({ id: mailboxes.id }).from(mailboxes).where(isNull(mailboxes.deletedAt)).limit(1),
)
