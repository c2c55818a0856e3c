import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import type { Deps } from '../deps.ts'
import { runLanes } from '../jobs/run-lanes.ts'
import type { Loop } from '../loop.ts'
import { openDue } from './new-conversation.ts'
import { findNext, type NextScheduled } from './queries.ts'
import { sendDue } from './send-message.ts'

/** They are found by their times, so that scheduled ones can come before those in their undo period. */
const MIN_FOUND = 50

/** Sends scheduled messages when they are due, one after the other. */
export function startSendingMessages(deps: Deps): Loop {
  return runLanes(deps, {
    name: 'send_messages',
    tables: [scheduledMessages],
    atOnce: 1,
    failure: 'message_not_sent',
    async find(read, { limit, held }) {
      const now = deps.clock.now()
      const next = await findNext(read, { limit: Math.max(limit, MIN_FOUND), held })
      return next.map((message) => ({ ...message, dueAt: dueAtOf(message, now) }))
    },
    async run(message) {
      const { ticketId } = message
      if (ticketId === null) await openDue(deps, message)
      else await sendDue(deps, { ...message, ticketId })
      return 0
    },
  })
}

/**
 * If a message was created in the future, the clock was set back. Then a message in its undo period is sent
 * immediately, and a scheduled one waits for its time on the new clock.
 */
function dueAtOf({ sendAt, createdAt, isLater }: NextScheduled, now: number): number {
  return now < createdAt && !isLater ? 0 : sendAt
}
