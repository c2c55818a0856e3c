import { type Answer, api, ask } from '../api/api.ts'
import { codeOf, isSignedOutCode } from '../api/api-problem.ts'
import { waitForSignIn } from '../api/session-expiry.ts'

/** An event of the live stream. */
export type LiveEvent = Answer<typeof api.console.live.get>
/** An event with its number in the event log, if it is from there. */
export type LiveMessage = LiveEvent & { number?: number }

const NAMES: LiveEvent['event'][] = [
  'hello',
  'changed',
  'reset',
  'presence',
  'visitors',
  'notified',
  'beat',
  'signed-out',
]
const FIRST_WAIT_MS = 400
const MAX_WAIT_MS = 15_000
/** The server sends something every 15 seconds. After this long the connection is considered lost. */
const MAX_SILENCE_MS = 40_000
/** When someone is waiting, a connection that was silent this long is replaced. */
const VERIFY_AFTER_MS = 17_000
/** The page may have read data before the stream was open, so the stream begins a little earlier. */
const MARGIN_S = 2
const MAX_LOAD_S = 300

export interface Stream {
  /** Connects now instead of after the wait, if it is not connected. */
  reconnectNow(): void
  /** A request didn't reach the server, so this connection may be lost too. Opens a new one. */
  verify(): void
  close(): void
}

/**
 * Keeps an event stream open. It reconnects after any failure and resumes after the last number. `after` is the last number
 * of the tab that had the stream before.
 */
export function openStream(
  pageId: string,
  after: number | undefined,
  on: { event: (message: LiveMessage) => void; lost: () => void },
): Stream {
  let source: EventSource | undefined
  let last = after
  let failures = 0
  let lastActivityAt = 0
  let isClosed = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    clearTimeout(retry)
    source?.close()
    source = new EventSource(addressOf(pageId, last))
    source.onopen = onActivity
    source.onerror = onLost
    for (const name of NAMES) source.addEventListener(name, (message) => dispatch(name, message))
    onActivity()
  }

  function dispatch(event: LiveEvent['event'], { data, lastEventId }: MessageEvent<string>): void {
    onActivity()
    const message: LiveMessage = { event, data: JSON.parse(data) }
    if (event === 'hello') failures = 0
    if (event === 'hello' || event === 'changed' || event === 'reset') {
      last = Number(lastEventId)
      message.number = last
    }
    on.event(message)
  }

  function onActivity(): void {
    lastActivityAt = Date.now()
    clearTimeout(silence)
    silence = setTimeout(onLost, MAX_SILENCE_MS)
  }

  /** EventSource doesn't retry after a 401 or 503, and doesn't expose the status. */
  async function onLost(): Promise<void> {
    if (isClosed || !source) return
    source.close()
    source = undefined
    clearTimeout(silence)
    on.lost()
    await waitUntilSignedIn()
    if (isClosed || source) return
    retry = setTimeout(connect, waitAfter(failures))
    failures += 1
  }

  connect()
  return {
    reconnectNow() {
      if (!source || Date.now() - lastActivityAt > VERIFY_AFTER_MS) connect()
    },
    verify: onLost,
    close() {
      isClosed = true
      clearTimeout(retry)
      clearTimeout(silence)
      source?.close()
    },
  }
}

/** Resolves when someone is signed in, or at once if the server can't be reached. */
async function waitUntilSignedIn(): Promise<void> {
  try {
    await ask(api.console.session.get())
  } catch (error) {
    if (isSignedOutCode(codeOf(error))) await waitForSignIn()
  }
}

function addressOf(pageId: string, last: number | undefined): string {
  const loading = Math.ceil(performance.now() / 1_000) + MARGIN_S
  const start = loading > MAX_LOAD_S ? 'after=0' : `back=${loading}`
  return `/console/live?page=${pageId}&${last === undefined ? start : `after=${last}`}`
}

/** Randomized, so that not all pages reconnect at once after a restart. */
function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** failures, MAX_WAIT_MS) * (0.5 + Math.random() / 2)
}
