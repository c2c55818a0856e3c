import { and, eq, isNull } from 'drizzle-orm'
import { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { type Loop, startLoop } from '../../../loop.ts'
import { type Receiving, receiveMailbox } from './receive-mailbox.ts'

/** At most this often, the mailboxes are read again after commits. */
const MIN_REST_MS = 500
const REST_MS = 60_000

interface Running {
  updatedAt: number
  abort: AbortController
  done: Promise<void>
}

/** Receives the mail of all active mailboxes. One that is added, changed, paused or removed is noticed within a second. */
export function startReceivingMail(deps: Deps, receiving: Receiving): Loop {
  const running = new Map<string, Running>()
  let readAt = Number.NEGATIVE_INFINITY

  const loop = startLoop(deps, 'mailboxes', async () => {
    const rest = readAt + MIN_REST_MS - deps.clock.monotonic()
    if (rest > 0) return rest
    readAt = deps.clock.monotonic()
    const active = await deps.database.read
      .select()
      .from(mailboxes)
      .where(and(eq(mailboxes.state, 'active'), isNull(mailboxes.deletedAt)))
    const wanted = new Map(active.map((mailbox) => [mailbox.id, mailbox]))
    for (const [id, { updatedAt, abort, done }] of running) {
      if (wanted.get(id)?.updatedAt === updatedAt) continue
      abort.abort()
      await done
      running.delete(id)
    }
    for (const [id, mailbox] of wanted) {
      if (running.has(id)) continue
      const abort = new AbortController()
      const done = receiveMailbox(deps, mailbox, receiving, abort.signal).catch((error) => {
        deps.log.error('receiving_stopped', { mailboxId: id, error })
        running.delete(id)
      })
      running.set(id, { updatedAt: mailbox.updatedAt, abort, done })
    }
    return REST_MS
  })

  return {
    wake: loop.wake,
    async stop() {
      await loop.stop()
      for (const { abort } of running.values()) abort.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}
