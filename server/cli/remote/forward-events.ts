import { createHmac } from 'node:crypto'
import type { Command } from 'commander'
import { pause, systemClock } from '../../clock.ts'
import { WEBHOOK_EVENTS } from '../../database/tables/events.ts'
import { UsageError } from '../../errors.ts'
import { hostName } from '../../network/allowed-host.ts'
import { isLoopbackHost } from '../../requests/public-address.ts'
import { VERSION } from '../../version.ts'
import { signatureHeaders } from '../../webhooks/deliveries/signature.ts'
import { wordsOf } from '../option-values.ts'
import { note, print } from '../output.ts'
import { addUrl, type Connection, connect, requireSuccess } from './connect.ts'
import { RemoteError } from './remote-error.ts'

/** As long as for an endpoint. */
const TIMEOUT_MS = 10_000
/** Pauses before the retries of an event. */
const RETRIES_MS = [1_000, 5_000, 15_000]
/** Pauses before the stream is opened again; the last one repeats. A server that restarts is back within seconds. */
const RECONNECT_MS = [0, ...Array<number>(40).fill(250), 1_000, 2_000, 5_000]
/** The server sends a comment every 15 seconds. */
const SILENCE_MS = 45_000

interface Options {
  url?: string
  forwardTo?: string
  events?: string[]
  after?: string
  print?: true
}

interface StreamedEvent {
  position: string
  event: string
  ticketId?: string
  customerId?: string
  /** Absent when what it is about is deleted. */
  body?: string
}

/** `bellhop listen`: sends events of the log on as webhooks, to a program that is being written. */
export function addListen(program: Command): void {
  const command = program
    .command('listen')
    .description(
      "forward events as webhooks to a URL that the server can't reach, with BELLHOP_KEY; resumes after a lost connection",
    )
    .option('--forward-to <url>', 'where to POST them; https, or http on this machine')
    .option(
      '--events <events>',
      `comma-separated list of ${WEBHOOK_EVENTS.join(', ')}`,
      wordsOf(WEBHOOK_EVENTS),
    )
    .option('--after <position>', 'begin after this position, as each line shows it (default: now)')
    .option('--print', 'print each body to standard output, one per line')
    .action(listen)
  addUrl(command)
}

async function listen(options: Options): Promise<void> {
  const target = targetOf(options)
  const connection = connect(options)
  const secret = secretOf(connection.key)
  let position = options.after ?? (await newestEvent(connection))
  let isReady = false
  const types = options.events?.join(',')
  for (let failures = 0; ; failures += 1) {
    try {
      const stream = await openStream(connection, { position, types })
      if (!isReady) {
        note(
          `Ready: events of ${connection.base}${target ? ` go to ${target}` : ''}. Signing secret: ${secret}`,
        )
        isReady = true
      }
      for await (const frame of readFrames(stream)) {
        failures = -1
        const event = frame.event
        if (event?.body !== undefined) {
          if (options.print) print(event.body)
          if (target) note(await forward({ ...event, body: event.body }, target, secret))
        }
        position = frame.position ?? position
      }
    } catch (error) {
      // What the server refuses, it refuses again.
      if (!isReady || !isLost(error)) throw error
    }
    await pause(RECONNECT_MS[Math.min(failures + 1, RECONNECT_MS.length - 1)] ?? 0)
  }
}

/** Throws `UsageError`. */
function targetOf({ forwardTo, print }: Options): string | undefined {
  if (forwardTo === undefined) {
    if (print) return undefined
    throw new UsageError('Name the receiver with --forward-to, or use --print.')
  }
  const url = URL.parse(forwardTo)
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal(url))
  if (url && isAllowed) return url.href
  throw new UsageError(
    `--forward-to must be an https URL, or an http URL of this machine: "${forwardTo}" isn't.`,
  )
}

function isLocal(url: URL): boolean {
  return isLoopbackHost(hostName(url.hostname))
}

/** The same for a key at any time, and nobody who doesn't have the key can compute it. */
function secretOf(key: string): string {
  return `whsec_${createHmac('sha256', key).update('bellhop listen').digest('base64')}`
}

async function newestEvent({ base, ask }: Connection): Promise<string> {
  const response = await requireSuccess(await ask('GET', '/events?limit=1'), base)
  return (await response.json()).meta.newest
}

/** Rejects with a `RemoteError` for an answer, and with one that `isLost` when there was none. */
async function openStream(
  { base, ask }: Connection,
  { position, types }: { position: string; types: string | undefined },
): Promise<ReadableStream<Uint8Array>> {
  const query = new URLSearchParams({ include: 'body', after: position, ...(types && { types }) })
  const headers = { accept: 'text/event-stream' }
  // An event stream has no end, so only the time without anything is limited.
  const response = await ask('GET', `/events?${query}`, { headers })
  const { body } = await requireSuccess(response, base)
  if (!body) throw new RemoteError(`${base} sent no events.`, { cause: 'lost' })
  return body
}

/** The connection ended, or the server was away or busy: not an answer that stays the same. */
function isLost(error: unknown): boolean {
  return !(error instanceof RemoteError) || error.cause !== undefined
}

/** What the stream sends, until it ends or is silent for too long. A frame without an event only moves the position. */
async function* readFrames(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ position: string | undefined; event: StreamedEvent | undefined }> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const cancelWatch = systemClock.after(SILENCE_MS, () => void reader.cancel().catch(() => {}))
      const { done, value } = await reader.read()
      cancelWatch()
      if (done) return
      const frames = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const fields = new Map(
          frame.split('\n').map((line) => [line.replace(/:.*/s, ''), line.replace(/^\w+: ?/, '')]),
        )
        const data = fields.get('data')
        yield { position: fields.get('id'), event: data === undefined ? undefined : JSON.parse(data) }
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Sends what an endpoint would get, with three retries. Returns a line about it. */
async function forward(
  event: StreamedEvent & { body: string },
  target: string,
  secret: string,
): Promise<string> {
  const about = `${event.event} ${event.ticketId ?? event.customerId ?? ''} ${event.position}`
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = systemClock.monotonic()
    const result = await attemptOf(event, { target, secret, attempt })
    const line = `${result.text} ${Math.round(systemClock.monotonic() - startedAt)} ms  ${about}`
    const waitMs = RETRIES_MS[attempt - 1]
    if (result.isReceived || waitMs === undefined) return result.isReceived ? line : `${line}  given up`
    note(`${line}  again in ${waitMs / 1_000} s`)
    await pause(waitMs)
  }
}

async function attemptOf(
  { position, event, body }: StreamedEvent & { body: string },
  { target, secret, attempt }: { target: string; secret: string; attempt: number },
): Promise<{ isReceived: boolean; text: string }> {
  // The same for each attempt, and when it is forwarded again after --after.
  const id = `listen_${position}`
  const bytes = new TextEncoder().encode(body)
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `Bellhop/${VERSION}`,
    'X-Service-Event': event,
    'X-Service-Delivery': id,
    'X-Service-Attempt': String(attempt),
    'X-Service-Event-Position': position,
    'webhook-id': id,
    ...signatureHeaders({ secrets: [secret], id }, systemClock.now(), bytes),
  }
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    // A receiver on this machine has no certificate that anyone else would trust.
    const tls = { rejectUnauthorized: !isLocal(new URL(target)) }
    const request = { method: 'POST', headers, body: bytes, redirect: 'manual', signal, tls } as const
    const response = await fetch(target, request)
    await response.body?.cancel()
    return { isReceived: response.ok, text: String(response.status) }
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return { isReceived: false, text: isLate ? 'no answer' : 'no connection' }
  }
}
