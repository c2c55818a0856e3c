import type { Deps } from '../deps.ts'
import { type Loop, startLoop } from '../loop.ts'
import { openDue } from './new-conversation.ts'
import { BEFORE_ALL, findNext, type NextScheduled } from './queries.ts'
import { sendDue } from './send-message.ts'

const AT_ONCE = 50
const MAX_REST_MS = 60_000
const REST_AFTER_FAULT_MS = 1_000
/** Longer than the time for Undo. A message that waits longer than this was scheduled. */
const MAX_UNDO_MS = 60_000

/**
 * Sends scheduled messages when they are due, including those from before a crash. One that fails doesn't delay the
 * others.
 */
export function startSendingMessages(deps: Deps): Loop {
  let last = BEFORE_ALL
  /** When each message that failed is sent again. Otherwise every commit would try it. */
  const restingUntil = new Map<string, number>()

  async function sendSome(): Promise<number> {
    endRests()
    const next = await findNext(deps.database.read, { ...last, limit: AT_ONCE })
    const now = deps.clock.now()
    const due = next.filter((message) => isDue(message, now))
    for (const message of due) {
      if (restingUntil.has(message.id) || (await isSent(deps, message))) continue
      restingUntil.set(message.id, deps.clock.monotonic() + REST_AFTER_FAULT_MS)
    }
    const lastOfMany = due[AT_ONCE - 1]
    if (lastOfMany) {
      last = { sendAt: lastOfMany.sendAt, id: lastOfMany.id }
      return 0
    }
    const coming = next.find((message) => !isDue(message, now))
    const rest = coming ? coming.sendAt - now : MAX_REST_MS
    const longest = restingUntil.size > 0 ? REST_AFTER_FAULT_MS : MAX_REST_MS
    last = BEFORE_ALL
    return Math.min(rest, longest)
  }

  function endRests(): void {
    const now = deps.clock.monotonic()
    for (const [id, until] of restingUntil) if (until <= now) restingUntil.delete(id)
  }

  return startLoop(deps, 'send_messages', sendSome)
}

async function isSent(deps: Deps, message: NextScheduled): Promise<boolean> {
  try {
    const { ticketId } = message
    if (ticketId === null) await openDue(deps, message)
    else await sendDue(deps, { ...message, ticketId })
    return true
  } catch (error) {
    deps.log.error('message_not_sent', { message: message.id, error })
    return false
  }
}

/**
 * If a message was created in the future, the clock was set back. Then a message in its undo period is sent
 * immediately, and a scheduled one waits for its time on the new clock.
 */
function isDue({ sendAt, createdAt }: NextScheduled, now: number): boolean {
  return sendAt <= now || (now < createdAt && sendAt - createdAt <= MAX_UNDO_MS)
}
