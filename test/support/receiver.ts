import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { type Certificate, makeCertificates } from './certificates.ts'

/** Longer than any test, so that a receiver never closes an idle connection. */
const KEEP_ALIVE_MS = 600_000

export interface ReceivedRequest {
  method: string
  /** Path and query. */
  path: string
  /** Names are lowercase. */
  headers: Record<string, string>
  /** The raw bytes. */
  body: Uint8Array
  /** Wall clock, milliseconds. */
  receivedAt: number
}

export interface Answer {
  /** 200 by default. */
  status?: number
  headers?: Record<string, string>
  body?: string | Uint8Array
  delayMs?: number
  /** Sent once this settles. */
  after?: Promise<unknown>
}

/** `number` counts requests from 0. `'never'` means no response. */
export type Respond = (request: ReceivedRequest, number: number) => Answer | 'never'

export interface Receiver {
  /** `https://127.0.0.1:<port>/hook` */
  url: string
  port: number
  /** All requests so far, oldest first. */
  requests: ReceivedRequest[]
  /** TLS connections accepted so far. */
  connections(): number
  /** Sets the response for later requests. */
  respondWith(respond: Respond): void
  /** Waits for the next request that `next` hasn't returned yet. */
  next(): Promise<ReceivedRequest>
  /** Closes the port and every connection. */
  stop(): Promise<void>
}

/** Starts an HTTPS receiver on 127.0.0.1 that records requests. Responds with 200 by default. */
export async function startReceiver(
  given: { respond?: Respond; cert?: Certificate } = {},
): Promise<Receiver> {
  const certificate = given.cert ?? (await makeCertificates()).valid
  const requests: ReceivedRequest[] = []
  const waiting: ((request: ReceivedRequest) => void)[] = []
  let taken = 0
  let connections = 0
  let respond: Respond = given.respond ?? (() => ({}))

  const server = createServer({ ...certificate, keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const request = requestOf(incoming, Buffer.concat(chunks))
      const number = requests.push(request) - 1
      waiting.shift()?.(request)
      write(respond(request, number), response)
    })
  })
  server.on('secureConnection', () => connections++)
  const { port, stop } = await listen(server)
  return {
    url: `https://127.0.0.1:${port}/hook`,
    port,
    requests,
    connections: () => connections,
    respondWith(next) {
      respond = next
    },
    next() {
      const request = requests[taken++]
      return request ? Promise.resolve(request) : new Promise((resolve) => waiting.push(resolve))
    },
    stop,
  }
}

/** Starts a TLS server that sends what `onSocket` writes: garbage, part of a response, or nothing. */
export async function startRawReceiver(
  onSocket: (socket: TLSSocket) => void,
): Promise<{ url: string; port: number; stop(): Promise<void> }> {
  const server = createTlsServer((await makeCertificates()).valid, (socket) => {
    // The client can close the connection at any time.
    socket.on('error', () => {})
    onSocket(socket)
  })
  const { port, stop } = await listen(server)
  return { url: `https://127.0.0.1:${port}/hook`, port, stop }
}

async function listen(
  server: ReturnType<typeof createTlsServer>,
): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }
  server.on('connection', track)
  server.on('secureConnection', track)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: portOf(server.address()),
    stop() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || !address) throw new Error('The receiver has no port.')
  return address.port
}

function requestOf(incoming: IncomingMessage, body: Buffer): ReceivedRequest {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value)
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers,
    body: new Uint8Array(body),
    receivedAt: Date.now(),
  }
}

function write(answer: Answer | 'never', response: ServerResponse): void {
  if (answer === 'never') return
  const send = () => response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  if (answer.after) void answer.after.then(send)
  else if (answer.delayMs) setTimeout(send, answer.delayMs)
  else send()
}
