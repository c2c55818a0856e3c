import { systemClock } from '../clock.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { markEncoded } from './compress-responses.ts'
import { compressSlices, type Encoding, encodingFor } from './encodings.ts'
import { type ElysiaSet, finishedResponse, takeHeaders } from './finished-response.ts'
import { type TextSlices, textIfSmall } from './row-slices.ts'

/** The memory that all responses being sent in slices can hold together, and those of one organization. */
const BUDGET_BYTES = 32 * 1024 * 1024
const ORGANIZATION_BYTES = 8 * 1024 * 1024
/** The memory that each response holds: a slice, and the previous one, which its connection hasn't accepted yet. */
const RESPONSE_BYTES = 1024 * 1024
/** Less than the 30 seconds after which a quiet connection is closed. */
const MAX_WAIT_MS = 20_000
/**
 * The share of time that the event loop spends on slices when there are always more. The rest is for other requests.
 */
const SHARE = 1 / 5
/** Slices that are built without a pause: a response or two that delay no one else. */
const BURST_MS = 150

/** Names of large responses that are remembered. */
const MAX_REMEMBERED = 1_000

interface Asking {
  request: Request
  /** Whose data it is. */
  orgId: string
  /** Of what is read, unique on the server. */
  name: string
  set: ElysiaSet
}

export interface LargeResponses {
  /**
   * Sends JSON: at once if it is small, otherwise in slices, as fast as the client accepts them. One slice is built per
   * turn of the event loop, whatever the number of responses, and all of them together leave most of the time to other
   * requests. A response waits in order while the budget is used up, until its client disconnects. Throws 503 when it has
   * waited too long, and errors of the first slice. `wholeText` is a faster way to the text; it returns undefined if the
   * text is large.
   */
  send(
    asking: Asking,
    slices: () => TextSlices,
    wholeText?: () => Promise<string | undefined>,
  ): Promise<Response>
  counts(): { sending: number; waiting: number }
}

export function createLargeResponses(deps: Pick<Deps, 'clock' | 'log'>): LargeResponses {
  const budget = createBudget(deps)
  const takeTurn = createTurns()
  // Finding out that a response is large takes a millisecond or two, which many clients would cause in the same turn.
  const large = new Set<string>()

  async function send(
    asking: Asking,
    slices: () => TextSlices,
    wholeText = () => textIfSmall(slices()),
  ): Promise<Response> {
    const text = large.has(asking.name) ? undefined : await wholeText()
    if (text !== undefined) return finishedResponse(asking.set, text)
    if (large.size >= MAX_REMEMBERED) large.clear()
    large.add(asking.name)
    return sendSlices(asking, slices)
  }

  async function sendSlices({ request, orgId, set }: Asking, slices: () => TextSlices): Promise<Response> {
    if (request.method === 'HEAD') return new Response(null, { headers: headersOf(set) })
    const encoding = encodingFor(request.headers.get('accept-encoding') ?? '')
    const release = await budget.take(orgId, request.signal)
    const text = inTurns(slices())
    const bytes = encoding ? compressSlices(text, encoding) : asBytes(text)
    try {
      const first = await bytes.next()
      const body = bodyOf({ bytes, first, release, signal: request.signal })
      return new Response(body, { headers: headersOf(set, encoding) })
    } catch (error) {
      release()
      throw error
    }
  }

  async function* inTurns(text: TextSlices): TextSlices {
    await takeTurn()
    for await (const slice of text) {
      yield slice
      await takeTurn()
    }
  }

  function bodyOf({ bytes, first, release, signal }: Sending): ReadableStream<Uint8Array> {
    let ahead: IteratorResult<Uint8Array, void> | undefined = first
    let isLeft = false
    const end = () => {
      isLeft = true
      release()
      bytes.return().catch(() => {})
    }
    // The stream isn't told when the client leaves before it is read.
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = ahead ?? (await bytes.next())
            ahead = undefined
            if (isLeft) return
            if (!done) return controller.enqueue(value)
            release()
            controller.close()
          } catch (error) {
            release()
            if (isLeft) return
            deps.log.error('response_failed', { error })
            controller.error(error)
          }
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    )
  }

  return { send, counts: budget.counts }
}

function headersOf(set: ElysiaSet, encoding?: Encoding): Headers {
  const headers = new Headers({ ...takeHeaders(set), 'content-type': 'application/json' })
  if (encoding) markEncoded(headers, encoding)
  return headers
}

interface Sending {
  bytes: AsyncGenerator<Uint8Array, void, void>
  first: IteratorResult<Uint8Array, void>
  release: () => void
  signal: AbortSignal
}

async function* asBytes(text: TextSlices): AsyncGenerator<Uint8Array, void, void> {
  for await (const slice of text) yield Buffer.from(slice)
}

interface Waiting {
  orgId: string
  start: () => void
}

/** Reserves memory in the order of the requests. One organization can't use all of it. */
function createBudget({ clock }: Pick<Deps, 'clock'>) {
  const queue: Waiting[] = []
  const used = new Map<string, number>()
  let total = 0

  const isRoomFor = (orgId: string) =>
    total + RESPONSE_BYTES <= BUDGET_BYTES && (used.get(orgId) ?? 0) + RESPONSE_BYTES <= ORGANIZATION_BYTES

  function change(orgId: string, bytes: number): void {
    total += bytes
    const left = (used.get(orgId) ?? 0) + bytes
    if (left > 0) used.set(orgId, left)
    else used.delete(orgId)
  }

  function startWaiting(): void {
    for (const waiting of [...queue]) {
      if (!isRoomFor(waiting.orgId)) continue
      queue.splice(queue.indexOf(waiting), 1)
      waiting.start()
    }
  }

  function reserve(orgId: string): () => void {
    change(orgId, RESPONSE_BYTES)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      change(orgId, -RESPONSE_BYTES)
      startWaiting()
    }
  }

  /** Returns a function that releases the memory. It can be called more than once. */
  async function take(orgId: string, signal: AbortSignal): Promise<() => void> {
    if (isRoomFor(orgId)) return reserve(orgId)
    return new Promise((resolve, reject) => {
      const waiting = { orgId, start: () => settle(() => resolve(reserve(orgId))) }
      const giveUp = () =>
        settle(() => {
          const place = queue.indexOf(waiting)
          if (place >= 0) queue.splice(place, 1)
          reject(busy())
        })
      const cancelTimer = clock.after(MAX_WAIT_MS, giveUp)
      const settle = (how: () => void) => {
        cancelTimer()
        signal.removeEventListener('abort', giveUp)
        how()
      }
      signal.addEventListener('abort', giveUp, { once: true })
      queue.push(waiting)
      if (signal.aborted) giveUp()
    })
  }

  return { take, counts: () => ({ sending: total / RESPONSE_BYTES, waiting: queue.length }) }
}

function busy(): AppError {
  return new AppError(
    503,
    'too_many_large_responses',
    'Too many large responses are being sent. Try again, or read less at once.',
    { headers: { 'retry-after': '5' } },
  )
}

/**
 * Lets one caller continue per turn of the event loop, in order, so that other requests run in between. Once the burst
 * is used up, it adds pauses: otherwise, clients that always want more would keep the loop busy, and every step of any
 * other request would wait for a slice. Uses real time, because tests move the clock of the dependencies.
 */
function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = []
  let isScheduled = false
  let creditMs = BURST_MS
  let countedAt = systemClock.monotonic()

  function schedule(): void {
    isScheduled = waiting.length > 0
    if (!isScheduled) return
    const now = systemClock.monotonic()
    creditMs = Math.min(BURST_MS, creditMs + (now - countedAt) * SHARE)
    countedAt = now
    if (creditMs >= 0) setImmediate(next)
    else systemClock.after(Math.ceil(-creditMs / SHARE), next)
  }

  function next(): void {
    // Processor time of this thread: while the machine is busy with something else, no one waits for the slice.
    const before = process.threadCpuUsage()
    waiting.shift()?.()
    // The slice is made before this runs.
    setImmediate(() => {
      const { user, system } = process.threadCpuUsage(before)
      creditMs -= (user + system) / 1_000
      schedule()
    })
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (!isScheduled) schedule()
    })
}
