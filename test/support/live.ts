import type { SignedInAgent } from './agents.ts'

/** For a busy machine. A passing test does not wait this long. */
const MAX_WAIT_MS = 30_000

export interface LiveEvent {
  event: string
  /** Missing on events that are not in the event log. */
  id?: number
  data: Record<string, unknown>
}

/** An open event stream, as a page uses it. */
export interface OpenStream extends AsyncDisposable {
  status: number
  /** All events so far. */
  seen: LiveEvent[]
  /** Number of comments received, which keep the connection open. */
  comments(): number
  /** Event numbers in the order they were received. */
  numbers(): number[]
  /** Waits for an event with this name that matches. Returns each event once. */
  next(event: string, fits?: (data: LiveEvent['data']) => boolean): Promise<LiveEvent>
  /** Settles when the server closes the stream. */
  ended: Promise<void>
  close(): Promise<void>
}

/** `after` is sent as `Last-Event-ID`, as in a reconnect. */
export function openLive(
  url: string,
  { cookie }: Pick<SignedInAgent, 'cookie'>,
  { after, page, back }: { after?: number; page?: string; back?: number } = {},
): Promise<OpenStream> {
  const query = new URLSearchParams({ ...(page && { page }), ...(back && { back: String(back) }) })
  return openEventStream(`${url}/console/live?${query}`, {
    cookie,
    ...(after === undefined ? {} : { 'last-event-id': String(after) }),
  })
}

/** Any event stream. */
export async function openEventStream(url: string, headers: Record<string, string>): Promise<OpenStream> {
  const abort = new AbortController()
  const response = await fetch(url, { headers, signal: abort.signal })
  const seen: LiveEvent[] = []
  const given = new Set<LiveEvent>()
  const waiting = new Set<() => void>()
  let comments = 0
  const ended = readEvents(response, (block) => {
    if (block.startsWith(':')) comments += 1
    if (!/^data:/m.test(block)) return
    seen.push(parseEvent(block))
    for (const look of waiting) look()
  })
  const close = async () => {
    abort.abort()
    await ended
  }
  return {
    status: response.status,
    seen,
    comments: () => comments,
    numbers: () => seen.flatMap(({ event, id }) => (event === 'changed' && id !== undefined ? [id] : [])),
    next: (event, fits = () => true) =>
      new Promise((resolve, reject) => {
        const tooLong = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`No such ${event} came, only ${JSON.stringify(seen)}`))
        }, MAX_WAIT_MS)
        const look = () => {
          const found = seen.find((one) => one.event === event && !given.has(one) && fits(one.data))
          if (!found) return
          given.add(found)
          waiting.delete(look)
          clearTimeout(tooLong)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    ended,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Each event of a stream, as text, until it ends. */
export async function readEvents(response: Response, take: (block: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) take(block)
    }
  } catch {
    // Canceled, or cut off when the server stops.
  }
}

function parseEvent(block: string): LiveEvent {
  const fields = new Map(
    block
      .split('\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const id = fields.get('id')
  return {
    event: fields.get('event') ?? 'message',
    ...(id === undefined ? {} : { id: Number(id) }),
    data: JSON.parse(fields.get('data') ?? '{}'),
  }
}
