import { and, eq, isNull } from 'drizzle-orm'
import { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import type { Loop } from '../../../loop.ts'
import { MAX_FAILING_MS, startLaneAlerts } from '../../lane-alerts.ts'
import { failingSince, healthOf } from './mailbox-health.ts'
import type { Mailbox } from './mailbox-rows.ts'
import { listMailboxes, lockMailbox, save } from './mailboxes.ts'

/**
 * Problems that administrators should fix now: mailboxes that were refused, or have failed for ten minutes. Oldest
 * first.
 */
export async function mailboxProblems(deps: Deps, orgId: string): Promise<Mailbox[]> {
  const now = deps.clock.now()
  return (await listMailboxes(deps, orgId)).filter((mailbox) => isProblem(mailbox, now))
}

/** A mailbox that no one has signed in to yet is no problem, but unfinished. */
function isProblem(mailbox: Mailbox, now: number): boolean {
  switch (healthOf(mailbox)) {
    case 'refused':
      return mailbox.signIn === 'password' || mailbox.tokens !== null
    case 'failing':
      return now - (failingSince(mailbox) ?? now) >= MAX_FAILING_MS
    default:
      return false
  }
}

/** Has open pages show a banner about each mailbox that has been failing for ten minutes. */
export function startMailboxAlerts(deps: Deps): Loop {
  return startLaneAlerts(deps, 'mailbox_alerts', {
    listQuiet: () =>
      deps.database.read
        .select()
        .from(mailboxes)
        .where(and(eq(mailboxes.state, 'active'), isNull(mailboxes.deletedAt), isNull(mailboxes.alertedAt))),
    isProblem,
    lock: lockMailbox,
    saveAlerted: (tx, mailbox, alertedAt) => save(tx, mailbox, { alertedAt }),
  })
}
