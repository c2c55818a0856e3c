import { and, count, min, ne, sql } from 'drizzle-orm'
import { sends } from '../../database/tables/sends.ts'
import { widgetConversations } from '../../database/tables/widgets.ts'
import type { Deps } from '../../deps.ts'
import { UNTIL_RESUMED } from './queries.ts'

interface SendBacklog {
  /** Sends that wait for an attempt, including those of paused or refused mailboxes. */
  waiting: number
  sending: number
  /** When the oldest due send should have been sent; null when none is due. */
  oldestDueAt: number | null
}

/** For the metrics: sends that are still waiting, over all organizations. Reads a partial index only. */
export async function countSends({ database, clock }: Deps): Promise<SendBacklog> {
  const found = await database.read
    .select({ state: sends.state, sends: count() })
    .from(sends)
    .where(isUnfinished)
    .groupBy(sends.state)
  const [oldest] = await database.read
    .select({ at: min(sends.dueAt) })
    .from(sends)
    .where(and(isUnfinished, sql`state = 'waiting'`, ne(sends.dueAt, UNTIL_RESUMED)))
  const sizes = new Map(found.map((one) => [one.state, one.sends]))
  const at = oldest?.at ?? null
  return {
    waiting: sizes.get('waiting') ?? 0,
    sending: sizes.get('sending') ?? 0,
    oldestDueAt: at !== null && at <= clock.now() ? at : null,
  }
}

interface UnreadBacklog {
  /** Conversations of the widget with answers that are emailed unless they are read first. */
  waiting: number
  /** When the oldest email that is due should have been made; null when none is due. */
  oldestDueAt: number | null
}

/** For the metrics, of all organizations. Reads a partial index only. */
export async function countUnreadEmails({ database, clock }: Deps): Promise<UnreadBacklog> {
  const [found] = await database.read
    .select({ waiting: count(), at: min(widgetConversations.emailDueAt) })
    .from(widgetConversations)
    .where(sql`email_due_at is not null`)
  const at = found?.at ?? null
  return { waiting: found?.waiting ?? 0, oldestDueAt: at !== null && at <= clock.now() ? at : null }
}

/** Literal, for the partial index. */
const isUnfinished = sql`state in ('waiting', 'sending')`
