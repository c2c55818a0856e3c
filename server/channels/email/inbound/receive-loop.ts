import { and, eq, isNull } from 'drizzle-orm'
import { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import type { Loop } from '../../../loop.ts'
import { startLanes } from '../../receiving-lanes.ts'
import { type Receiving, receiveMailbox } from './receive-mailbox.ts'

/** Receives the mail of all active mailboxes. */
export function startReceivingMail(deps: Deps, receiving: Receiving): Loop {
  return startLanes(deps, 'mailboxes', {
    table: mailboxes,
    listActive: () =>
      deps.database.read
        .select()
        .from(mailboxes)
        .where(and(eq(mailboxes.state, 'active'), isNull(mailboxes.deletedAt))),
    receive: (mailbox, signal) => receiveMailbox(deps, mailbox, receiving, signal),
  })
}
