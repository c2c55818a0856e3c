import type { Deps } from '../deps.ts'
import { type Loop, startLoop } from '../loop.ts'
import { sendDue, UNDO_MS } from './replies.ts'
import { findNext, type NextReply } from './rows.ts'

const AT_ONCE = 50
const LONGEST_REST_MS = 60_000
const REST_AFTER_FAULT_MS = 1_000

/** Sends waiting replies when their time has come, those of before a crash too. */
export function startSendingReplies(deps: Deps): Loop {
  return startLoop(deps, 'send_replies', async () => {
    const next = await findNext(deps.database.read, { limit: AT_ONCE })
    const now = deps.clock.now()
    const due = next.filter((reply) => isDue(reply, now))
    let rest = 0
    for (const reply of due) {
      // One that cannot go keeps nobody else waiting.
      await sendDue(deps, reply).catch((error) => {
        deps.log.error('reply_not_sent', { reply: reply.id, error })
        rest = REST_AFTER_FAULT_MS
      })
    }
    if (due.length > 0) return rest
    return next[0] ? next[0].sendAt - now : LONGEST_REST_MS
  })
}

/** None waits longer than it may be taken back: further ahead means that the clock was put back. */
function isDue({ sendAt }: NextReply, now: number): boolean {
  return sendAt <= now || sendAt > now + UNDO_MS
}
