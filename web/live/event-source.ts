import { type Answer, api, ask } from '../api/api.ts'
import { codeOf } from '../api/api-problem.ts'
import { waitForSignIn } from '../api/session-expiry.ts'

/** What the server tells. */
export type LiveEvent = Answer<typeof api.console.live.get>
/** `number` is the place in the log; absent on what is not of the log. */
export type Told = LiveEvent & { number?: number }

const NAMES: LiveEvent['event'][] = ['hello', 'changed', 'reset', 'presence', 'beat', 'signed-out']
const FIRST_WAIT_MS = 400
const LONGEST_WAIT_MS = 15_000
/** The server says something every 15 seconds; after this long nothing will come on this connection any more. */
const LONGEST_QUIET_MS = 40_000
/** Somebody is waiting: a connection that has said nothing for so long is not trusted. */
const SUSPICIOUS_MS = 17_000
/** What the page read while it loaded may be older than the stream. In seconds, with some to spare. */
const SPARE_S = 2
const LONGEST_LOAD_S = 300

export interface Stream {
  /** Connects now instead of at the end of the wait, when it is not connected. */
  hurry(): void
  /** A request did not reach the server: perhaps this connection does not either, and has not noticed. */
  doubt(): void
  close(): void
}

/**
 * Keeps an event stream open: whatever ends it, it comes back behind the last number it was told. `after` is the number
 * of whoever had the stream before.
 */
export function openStream(
  pageId: string,
  after: number | undefined,
  on: { event: (told: Told) => void; lost: () => void },
): Stream {
  let source: EventSource | undefined
  let last = after
  let failures = 0
  let heardAt = 0
  let isClosed = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    clearTimeout(retry)
    source?.close()
    source = new EventSource(addressOf(pageId, last))
    source.onopen = heard
    source.onerror = lose
    for (const name of NAMES) source.addEventListener(name, (message) => take(name, message))
    heard()
  }

  function take(event: LiveEvent['event'], message: MessageEvent<string>): void {
    heard()
    const told: Told = { event, data: JSON.parse(message.data) }
    if (event === 'hello') failures = 0
    if (event === 'hello' || event === 'changed' || event === 'reset') {
      last = Number(message.lastEventId)
      told.number = last
    }
    on.event(told)
  }

  function heard(): void {
    heardAt = Date.now()
    clearTimeout(silence)
    silence = setTimeout(lose, LONGEST_QUIET_MS)
  }

  /** The browser itself would not try again after an answer such as 401 or 503, nor say which it was. */
  async function lose(): Promise<void> {
    if (isClosed || !source) return
    source.close()
    source = undefined
    clearTimeout(silence)
    on.lost()
    await signedIn()
    if (isClosed || source) return
    retry = setTimeout(connect, waitAfter(failures))
    failures += 1
  }

  connect()
  return {
    hurry() {
      if (!source || Date.now() - heardAt > SUSPICIOUS_MS) connect()
    },
    doubt: lose,
    close() {
      isClosed = true
      clearTimeout(retry)
      clearTimeout(silence)
      source?.close()
    },
  }
}

/** Settles when somebody is signed in, or when that cannot be known because the server is away. */
async function signedIn(): Promise<void> {
  try {
    await ask(api.console.session.get())
  } catch (error) {
    if (codeOf(error) === 'signed_out') await waitForSignIn()
  }
}

function addressOf(pageId: string, last: number | undefined): string {
  const loading = Math.ceil(performance.now() / 1_000) + SPARE_S
  const start = loading > LONGEST_LOAD_S ? 'after=0' : `back=${loading}`
  return `/console/live?page=${pageId}&${last === undefined ? start : `after=${last}`}`
}

/** A random part of it, so that the pages of a server that was restarted do not all come at once. */
function waitAfter(failures: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2)
}
