import { and, eq, isNull } from 'drizzle-orm'
import { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { type Loop, startPeriodic } from '../../../loop.ts'
import { failingSince, healthOf } from './mailbox-health.ts'
import type { Mailbox } from './mailbox-rows.ts'
import { listMailboxes, lockMailbox, save } from './mailboxes.ts'

/** How long a mailbox may fail before every administrator sees a banner. */
const MAX_FAILING_MS = 600_000
const CHECK_EVERY_MS = 15_000

/** What administrators should do something about now: what was refused, or has failed for ten minutes. Oldest first. */
export async function mailboxProblems(deps: Deps, orgId: string): Promise<Mailbox[]> {
  const now = deps.clock.now()
  return (await listMailboxes(deps, orgId)).filter((mailbox) => isProblem(mailbox, now))
}

/** A mailbox that nobody has signed in to yet is no problem, but unfinished. */
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
  return startPeriodic(deps, 'mailbox_alerts', {
    everyMs: CHECK_EVERY_MS,
    slice: async () => {
      await alertAdministrators(deps)
      return false
    },
  })
}

async function alertAdministrators(deps: Deps): Promise<void> {
  const now = deps.clock.now()
  const failing = await deps.database.read
    .select()
    .from(mailboxes)
    .where(and(eq(mailboxes.state, 'active'), isNull(mailboxes.deletedAt), isNull(mailboxes.alertedAt)))
  for (const { orgId, id } of failing.filter((mailbox) => isProblem(mailbox, now))) {
    await deps.database.write(async (tx) => {
      await recordWorkspaceChange(deps, tx, orgId)
      const before = await lockMailbox(tx, orgId, id)
      if (before && isProblem(before, now)) await save(tx, before, { alertedAt: now })
    })
  }
}
