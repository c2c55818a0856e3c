import type { Deps } from '../deps.ts'
import { type Loop, startLoop } from '../loop.ts'
import { BEFORE_ALL, findNext, type NextReply } from './queries.ts'
import { sendDue, UNDO_MS } from './replies.ts'

const AT_ONCE = 50
const LONGEST_REST_MS = 60_000
const REST_AFTER_FAULT_MS = 1_000

/** Sends waiting replies when their time has come, those of before a crash too. One that cannot go keeps nobody waiting. */
export function startSendingReplies(deps: Deps): Loop {
  let behind = BEFORE_ALL
  let hasFailed = false

  async function turn(): Promise<number> {
    const next = await findNext(deps.database.read, { ...behind, limit: AT_ONCE })
    const now = deps.clock.now()
    const due = next.filter((reply) => isDue(reply, now))
    for (const reply of due) if (!(await isSent(deps, reply))) hasFailed = true
    const last = due[AT_ONCE - 1]
    if (last) {
      behind = { sendAt: last.sendAt, id: last.id }
      return 0
    }
    const coming = next.find((reply) => !isDue(reply, now))
    const rest = coming ? coming.sendAt - now : LONGEST_REST_MS
    const longest = hasFailed ? REST_AFTER_FAULT_MS : LONGEST_REST_MS
    behind = BEFORE_ALL
    hasFailed = false
    return Math.min(rest, longest)
  }

  return startLoop(deps, 'send_replies', turn)
}

async function isSent(deps: Deps, reply: NextReply): Promise<boolean> {
  try {
    await sendDue(deps, reply)
    return true
  } catch (error) {
    deps.log.error('reply_not_sent', { reply: reply.id, error })
    return false
  }
}

/** None waits longer than it may be taken back: further ahead means that the clock was put back. */
function isDue({ sendAt }: NextReply, now: number): boolean {
  return sendAt <= now || sendAt > now + UNDO_MS
}
