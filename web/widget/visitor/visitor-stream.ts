import type { Conversation, Message, Native } from '../contract.ts'
import { ApiProblem, type VisitorApi } from './visitor-api.ts'
import { ignore } from './visitor-session.ts'

// Read by fetch, because EventSource sends no headers, and the token may not be in the address.

/** The server sends something every 15 seconds. After this long the connection is considered lost. */
const MAX_SILENCE_MS = 45_000
/** When the visitor comes back, a connection that was silent this long is replaced. */
const DOUBTFUL_AFTER_MS = 20_000
/** A proxy that collects the stream delivers nothing at first. The page then asks for what is new, and tries a stream later. */
const MAX_FIRST_WAIT_MS = 15_000
const POLL_EVERY_MS = 5_000
const POLLS = 24
/** Waits are random between 0 and this, doubled after each failure: after a restart, visitors come back one by one. */
const FIRST_SPREAD_MS = 4_000
const MAX_SPREAD_MS = 30_000
/** A blocked visitor may be unblocked, and a widget that is turned off may be turned on. */
const FORBIDDEN_PAUSE_MS = 60_000
/** For when the browser is online again or the tab is shown. */
const SOON_SPREAD_MS = 500

type VisitorEvent =
  | { event: 'message'; conversation: Conversation; message: Message }
  | { event: 'removed'; conversation: Conversation; messageId: string }
  | { event: 'conversation'; conversation: Conversation }
  | { event: 'deleted'; conversationId: string }
  | { event: 'typing'; conversationId: string; agentName: string; isTyping: boolean }
  | { event: 'hello' | 'reset'; number: number }
  | { event: 'signed_out' | 'blocked' }

/** The number is missing for events that aren't in the event log. */
export type NumberedEvent = VisitorEvent & { number?: number }

export type VisitorStream = ReturnType<typeof openVisitorStream>

/** Keeps the stream open until it is closed or the token is refused. `forbidden`: the visitor may not read now. */
export function openVisitorStream(
  { api, native, after }: { api: VisitorApi; native: Native; after: () => number },
  on: { event(event: NumberedEvent): void; lost(): void; forbidden(): void; refused(): void },
) {
  let failures = 0
  /** How many are left before a stream is tried again. */
  let polls = 0
  let activeAt = 0
  let isClosed = false
  let controller: AbortController | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  async function connect(): Promise<void> {
    clearTimeout(retry)
    controller?.abort()
    const own = new (native('AbortController'))()
    controller = own
    const isPoll = polls > 0
    let isGreeted = false
    let isForbidden = false
    let pauseMs = 0
    wait(MAX_FIRST_WAIT_MS, () => {
      polls = POLLS
    })
    try {
      const response = await api.openEvents(after(), isPoll, own.signal)
      for await (const block of blocksOf(response)) {
        if (own.signal.aborted) break
        wait(MAX_SILENCE_MS)
        const event = parseEvent(block)
        if (event?.event === 'hello') {
          failures = 0
          isGreeted = true
        }
        if (event?.event === 'signed_out') return refuse()
        if (event?.event === 'blocked') throw new ApiProblem(403, event.event, '')
        if (event) on.event(event)
      }
    } catch (error) {
      if (error instanceof ApiProblem) {
        if (error.status === 401) return refuse()
        isForbidden = !error.isTemporary
        if (isForbidden) on.forbidden()
        pauseMs = isForbidden ? FORBIDDEN_PAUSE_MS : error.pauseMs
      }
    }
    if (isClosed || controller !== own) return
    clearTimeout(silence)
    controller = undefined
    if (isPoll && isGreeted) {
      polls -= 1
      retry = setTimeout(connect, POLL_EVERY_MS * (0.5 + Math.random()))
      return
    }
    // A connection that a proxy has cut is soon there again.
    if (failures > 0 && !isForbidden) on.lost()
    const spread = Math.min(FIRST_SPREAD_MS * 2 ** failures, MAX_SPREAD_MS)
    failures += 1
    retry = setTimeout(connect, pauseMs + Math.random() * spread)
  }

  function wait(ms: number, onSilence?: () => void): void {
    activeAt = Date.now()
    clearTimeout(silence)
    silence = setTimeout(() => {
      onSilence?.()
      controller?.abort()
    }, ms)
  }

  function refuse(): void {
    close()
    on.refused()
  }

  function close(): void {
    isClosed = true
    clearTimeout(retry)
    clearTimeout(silence)
    controller?.abort()
  }

  void connect()
  return {
    /** Connects now, if it isn't connected or may not be. */
    reconnectNow(): void {
      if (isClosed || (controller && Date.now() - activeAt < DOUBTFUL_AFTER_MS)) return
      clearTimeout(retry)
      retry = setTimeout(connect, Math.random() * SOON_SPREAD_MS)
    },
    close,
  }
}

/** What is between empty lines: an event, or a comment that keeps the connection open. */
async function* blocksOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      yield* blocks
    }
  } finally {
    void ignore(reader.cancel())
  }
}

function parseEvent(block: string): NumberedEvent | undefined {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name && value !== undefined) fields[name] = value
  }
  if (!fields.event) return undefined
  const number = fields.id ? { number: Number(fields.id) } : {}
  return { ...number, ...JSON.parse(fields.data ?? '{}'), event: fields.event }
}
