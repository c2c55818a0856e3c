import { ApiProblem } from '../../api/api-problem.ts'
import { onConnectionBack } from '../../live/live.ts'

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
const LONGEST_TRY_MS = 20_000
/** The server knows a key for a day. What is older is for a person to look at. */
const LONGEST_MS = 12 * 60 * 60_000

interface Trying {
  /** Ends it: nobody waits for the answer any more. */
  signal: AbortSignal
  /** The server was not reached; it is tried again. */
  onWaiting: () => void
}

/** Sends the same until the server has answered: after a pause, and at once when the connection is back. Throws refusals. */
export async function untilAnswered<Answer>(
  send: (signal: AbortSignal) => Promise<Answer>,
  { signal, onWaiting }: Trying,
): Promise<{ answer: Answer; isFirstTry: boolean }> {
  const begunAt = Date.now()
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const answer = await send(AbortSignal.any([signal, AbortSignal.timeout(LONGEST_TRY_MS)]))
      return { answer, isFirstTry: pauseMs === FIRST_PAUSE_MS }
    } catch (error) {
      signal.throwIfAborted()
      if (!isWorthTryingAgain(error) || Date.now() - begunAt > LONGEST_MS) throw error
      onWaiting()
      await pause(pauseMs, signal)
    }
  }
}

/** No answer, or one that says nothing about what was sent. */
function isWorthTryingAgain(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false
  const { status, code } = error
  return (
    status === 0 || status >= 500 || status === 408 || status === 429 || code === 'idempotency_in_progress'
  )
}

/** Until then, or until the connection is back. Throws when nobody waits any more. */
async function pause(longestMs: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    function end() {
      clearTimeout(timer)
      stop()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, longestMs)
    const stop = onConnectionBack(end)
    signal.addEventListener('abort', end)
  })
  signal.throwIfAborted()
}
