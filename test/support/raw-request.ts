import { connect } from 'node:net'
import type { Answer } from './bellhop.ts'

export interface RawRequest {
  method: string
  /** Sent unchanged. `fetch` would normalize it. */
  target: string
  headers?: Record<string, string>
  /** Includes its own framing. Nothing is added. */
  body?: string | Uint8Array
}

/** Sends one request as bytes on a socket, for requests that `fetch` refuses to send. Settles when the server closes. */
export function rawRequest(origin: string, request: RawRequest): Promise<Answer<unknown>> {
  const { hostname, port } = new URL(origin)
  const headers = { host: `${hostname}:${port}`, connection: 'close', ...request.headers }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${request.method} ${request.target} HTTP/1.1\r\n${lines.join('')}\r\n`
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
    socket.on('error', reject)
    socket.on('close', () => resolve(answerOf(Buffer.concat(chunks).toString('utf8'))))
    socket.write(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(request.body ?? '')]))
  })
}

function answerOf(text: string): Answer<unknown> {
  const end = text.indexOf('\r\n\r\n')
  const [start = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Headers()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const body = text.slice(end + 4)
  const isJson = /json/.test(headers.get('content-type') ?? '') && body !== ''
  return {
    status: Number(start.split(' ')[1]),
    headers,
    text: body,
    json: isJson ? JSON.parse(body) : undefined,
  }
}
