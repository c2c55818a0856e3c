import { and, asc, eq, inArray, isNull, lt, lte } from 'drizzle-orm'
import { notificationEmails, notifications, pushSubscriptions } from '../database/tables/notifications.ts'
import { sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { startPruning } from '../jobs/pruning.ts'
import type { Loop } from '../loop.ts'

const KEPT_MS = 90 * 86_400_000
const PRUNE_EVERY_MS = 3_600_000
const SLICE = 500

/** Deletes old notifications, and the subscriptions of browsers that are signed out. */
export function startPruningNotifications(deps: Deps): Loop {
  return startPruning(deps, 'notification pruning', {
    everyMs: PRUNE_EVERY_MS,
    slice: () => pruneSlice(deps),
  })
}

async function pruneSlice({ database, clock }: Deps): Promise<boolean> {
  const before = clock.now() - KEPT_MS
  const old = await database.read
    .select({ orgId: notifications.orgId, createdAt: notifications.createdAt })
    .from(notifications)
    .where(lt(notifications.createdAt, before))
    .orderBy(asc(notifications.createdAt))
    .limit(SLICE)
  const last = old.at(-1)
  const ended = await database.read
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .leftJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
    .where(isNull(sessions.id))
    .limit(SLICE)
  const emails = await database.read
    .select({ id: notificationEmails.id })
    .from(notificationEmails)
    .where(lt(notificationEmails.createdAt, before))
    .limit(SLICE)
  if (!last && ended.length === 0 && emails.length === 0) return false
  await database.write(undefined, async (tx) => {
    if (last) {
      await tx
        .delete(notifications)
        .where(and(lte(notifications.createdAt, last.createdAt), lt(notifications.createdAt, before)))
    }
    const ids = ended.map(({ id }) => id)
    if (ids.length > 0) await tx.delete(pushSubscriptions).where(inArray(pushSubscriptions.id, ids))
    const old = emails.map(({ id }) => id)
    if (old.length > 0) await tx.delete(notificationEmails).where(inArray(notificationEmails.id, old))
  })
  return old.length === SLICE || ended.length === SLICE || emails.length === SLICE
}
