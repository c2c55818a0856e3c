import { type Answer, api, ask } from '../../api/api.ts'
import { ApiProblem } from '../../api/api-problem.ts'
import { CLOCK_STEP_MS, toServerTime } from '../../api/server-clock.ts'
import { onConnectionBack } from '../../live/live.ts'
import type { NoteEntry } from '../ticket-query.ts'
import type { Sending } from './draft-state.ts'

/** How long a reply can be taken back. */
export const UNDO_MS = 10_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
const LONGEST_TRY_MS = 20_000
/** What is older is for a person to look at. */
const LONGEST_MS = 12 * 60 * 60_000
/** A browser finishes small requests even when the page is closed. */
const LONGEST_KEPT_ALIVE = 16_000

export type SentMessage = Answer<ReturnType<ReturnType<typeof api.v1.tickets>['messages']>['put']>

interface Trying {
  /** Stops it: the text is taken back into the field. */
  signal: AbortSignal
  /** The server was not reached, and is tried again. */
  onDelayed: () => void
}

/**
 * Schedules a reply, to be sent in ten seconds. Tries until the server has answered: the id makes it one message, however
 * often it arrives. Throws refusals.
 */
export function putReply(ticketId: string, reply: Sending, trying: Trying): Promise<SentMessage> {
  const { id, text, after, status } = reply
  let sendAt = 0
  return untilAnswered(text, trying, (how) => {
    // The same request again, unless the time to take it back has passed without a connection.
    if (sendAt < Date.now()) sendAt = Date.now() + UNDO_MS
    // At least ten seconds by the server's clock.
    const atServer = new Date(toServerTime(sendAt) + CLOCK_STEP_MS)
    const body = { text, after, status, sendAt: atServer.toISOString() }
    return ask(api.v1.tickets({ id: ticketId }).messages({ messageId: id }).put(body, how))
  })
}

/** Adds a note, which only agents see. Tries until the server has answered. Throws refusals. */
export function putNote(ticketId: string, { id, text }: Sending, trying: Trying): Promise<NoteEntry> {
  return untilAnswered(text, trying, (how) =>
    ask(api.console.tickets({ id: ticketId }).notes({ noteId: id }).put({ text }, how)),
  )
}

interface RequestOptions {
  fetch: { signal: AbortSignal; keepalive: boolean }
}

/** Again after a pause, and at once when the connection is back. */
async function untilAnswered<Result>(
  text: string,
  { signal, onDelayed }: Trying,
  put: (how: RequestOptions) => Promise<Result>,
): Promise<Result> {
  const startedAt = Date.now()
  const keepalive = text.length <= LONGEST_KEPT_ALIVE
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const timed = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_TRY_MS)])
      return await put({ fetch: { signal: timed, keepalive } })
    } catch (error) {
      signal.throwIfAborted()
      if (!isWorthRetrying(error) || Date.now() - startedAt > LONGEST_MS) throw error
      onDelayed()
      await pause(pauseMs, signal)
    }
  }
}

/** No answer, or one that says nothing about what was sent. */
function isWorthRetrying(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false
  const { status } = error
  return status === 0 || status >= 500 || status === 408 || status === 429
}

/** Ends early when the connection is back. Throws when the sending is stopped. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    function end() {
      clearTimeout(timer)
      stopListening()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    const stopListening = onConnectionBack(end)
    signal.addEventListener('abort', end)
  })
  signal.throwIfAborted()
}
