import { type Answer, api, ask } from '../../api/api.ts'
import { ApiProblem } from '../../api/api-problem.ts'
import { atServer } from '../../api/server-clock.ts'
import { onConnectionBack } from '../../live/live.ts'
import type { Sending } from '../draft/draft-storage.ts'
import type { NoteEntry } from '../ticket-query.ts'

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 15_000
const REQUEST_TIMEOUT_MS = 20_000
/** After this long, an unanswered request is reported instead of retried. */
const MAX_RETRY_MS = 12 * 60 * 60_000
/** Characters. Browsers finish requests up to 64 KiB after the page is closed. */
const MAX_KEEPALIVE_LENGTH = 16_000

export type SentMessage = Answer<ReturnType<ReturnType<typeof api.v1.tickets>['messages']>['put']>

interface Trying {
  /** Cancels the request when the agent takes the text back. */
  signal: AbortSignal
  /** Called when the server can't be reached and the request is retried. */
  onDelayed: () => void
}

/**
 * Schedules a reply to be sent after the undo time, or sends it at once without one. Retries until the server responds;
 * the id makes it one message, however often the request arrives. Throws the server's errors.
 */
export async function putReply(ticketId: string, reply: Sending, trying: Trying): Promise<SentMessage> {
  const { id, text, after, sentTo, undoMs = 0, actions } = reply
  const attachments = idsOf(reply)
  let undoneUntil = 0
  const sent = await retryUntilAnswered(text, trying, (how) => {
    // A retry sends the same request, unless the undo time has passed while offline.
    if (undoneUntil < Date.now()) undoneUntil = Date.now() + undoMs
    const sendAt = reply.sendAt ?? (undoMs > 0 ? atServer(undoneUntil) : undefined)
    const fields = {
      text,
      format: 'markdown' as const,
      after,
      ...(actions && { [THEN]: actions }),
      ...(sendAt && { sendAt }),
    }
    const body = { ...fields, ...attachments, ...(sentTo && { recipients: sentTo }) }
    return ask(api.v1.tickets({ id: ticketId }).messages({ messageId: id }).put(body, how))
  })
  // Offers notifications after the first one (live/notified.tsx).
  dispatchEvent(new Event('bellhop-replied'))
  return sent
}

/** Written out, the name of this field would look like the method of a promise. */
const THEN = 'then'

/** Adds an internal note. Retries until the server responds. Throws the server's errors. */
export function putNote(ticketId: string, note: Sending, trying: Trying): Promise<NoteEntry> {
  const { id, text } = note
  const body = { text, format: 'markdown' as const, ...idsOf(note) }
  return retryUntilAnswered(text, trying, (how) =>
    ask(api.console.tickets({ id: ticketId }).notes({ noteId: id }).put(body, how)),
  )
}

function idsOf({ attachments }: Sending) {
  return attachments.length === 0 ? {} : { attachments: attachments.map(({ id }) => id) }
}

interface RequestOptions {
  fetch: { signal: AbortSignal; keepalive: boolean }
}

/** Retries after a pause, and at once when the connection is back. */
export async function retryUntilAnswered<Result>(
  text: string,
  { signal, onDelayed }: Trying,
  put: (how: RequestOptions) => Promise<Result>,
): Promise<Result> {
  const startedAt = Date.now()
  const keepalive = text.length <= MAX_KEEPALIVE_LENGTH
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      const timed = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)])
      return await put({ fetch: { signal: timed, keepalive } })
    } catch (error) {
      signal.throwIfAborted()
      if (!isWorthRetrying(error) || Date.now() - startedAt > MAX_RETRY_MS) throw error
      onDelayed()
      await pause(pauseMs, signal)
    }
  }
}

/** No response, or one that doesn't tell whether the request was processed. */
export function isWorthRetrying(error: unknown): boolean {
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
