import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { positionAt } from '../positions.ts'
import type { LogPlace } from './list-events.ts'
import { type EventRequest, type ReadTogether, readPage } from './read-page.ts'
import type { EventWaits } from './waits.ts'

/** A comment keeps proxies from closing an idle stream. */
const COMMENT_EVERY_MS = 15_000
/** Events that are read at once: the reader gets them before more are read. */
const EVENTS_AT_ONCE = 100

/**
 * The events from a place on as an event stream, each with its position as the id. Nothing is read before the reader has
 * taken what was sent. `mayRead` throws once the key isn't valid anymore, and is asked before anything is read; `onEnd` is
 * called once.
 */
export function streamEvents(
  deps: Deps,
  waits: EventWaits,
  request: EventRequest & {
    from: LogPlace
    readWaited: ReadTogether
    mayRead: () => Promise<unknown>
    onEnd: () => void
  },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const gone = new AbortController()
  let { from } = request
  let isOpen = false
  /** Undefined at the end of the stream. */
  async function nextText(): Promise<string | undefined> {
    // The headers are sent with the first text: without it, a reader would wait for the first event or comment.
    if (!isOpen) {
      isOpen = true
      return ': open\n\n'
    }
    for (let hasWaited = false; ; hasWaited = true) {
      await request.mayRead()
      const wanted = { ...request, limit: EVENTS_AT_ONCE }
      const page = await (hasWaited ? request.readWaited(wanted, from) : readPage(deps, wanted, from))
      const isPassedOver = page.data.length === 0 && page.after > from.after
      from = page
      if (page.data.length > 0) return framesOf(page)
      if (isPassedOver) return `id: ${page.meta.after}\n\n`
      if (hasWaited) return `: ${positionAt(page.logId, page.after)}\n\n`
      await waits.until(request.orgId, { after: page.after, ms: COMMENT_EVERY_MS, signal: gone.signal })
      if (waits.isStopped() || gone.signal.aborted) return undefined
    }
  }

  let isEnded = false
  function end(): void {
    if (isEnded) return
    isEnded = true
    request.onEnd()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const text = await nextText()
          if (gone.signal.aborted) return
          if (text !== undefined) return controller.enqueue(encoder.encode(text))
        } catch (error) {
          // The key was revoked or has expired, or another log has begun: the next request says so.
          if (!(error instanceof AppError)) deps.log.error('event_stream_failed', { error })
        }
        end()
        controller.close()
      },
      cancel() {
        gone.abort()
        end()
      },
    },
    { highWaterMark: 0 },
  )
}

function framesOf({ data, included }: Awaited<ReturnType<typeof readPage>>): string {
  const ofEvent = included && separate(included)
  return data
    .map(
      (event) =>
        `id: ${event.position}\ndata: ${JSON.stringify({ ...event, included: ofEvent?.(event) })}\n\n`,
    )
    .join('')
}

/** What one event includes. */
function separate(included: NonNullable<Awaited<ReturnType<typeof readPage>>['included']>) {
  const { tickets = [], messages = [], customers = [] } = included
  const all: { id: string }[] = [...tickets, ...messages, ...customers]
  const byId = new Map(all.map((one) => [one.id, one]))
  const only = (id: string | undefined) => (id !== undefined && byId.has(id) ? [byId.get(id)] : [])
  return (event: {
    ticketId?: string | undefined
    messageId?: string | undefined
    customerId?: string | undefined
  }) => ({
    ...(included.tickets && { tickets: only(event.ticketId) }),
    ...(included.messages && { messages: only(event.messageId) }),
    ...(included.customers && { customers: only(event.customerId) }),
  })
}
