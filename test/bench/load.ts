import type { Socket } from 'bun'

export interface LoadResult {
  requests: number
  seconds: number
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
}

/** One HTTP/1.1 request as bytes. Headers beside `host` and `content-length` are the caller's. */
export function rawRequest(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Uint8Array {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  if (body !== '') lines.push(`content-length: ${Buffer.byteLength(body)}`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * Sends requests over keep-alive connections, one at a time on each, until the time is up. Written on bare sockets so
 * that the client is never what is measured. Throws at the first answer that has another status.
 */
export async function load(
  port: number,
  options: {
    connections: number
    milliseconds: number
    status: number
    next: (number: number) => Uint8Array
  },
): Promise<LoadResult> {
  const latencies: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + options.milliseconds
  let sent = 0
  const connections = Array.from({ length: options.connections }, () => oneConnection())
  await Promise.all(connections)
  const seconds = (performance.now() - startedAt) / 1000
  latencies.sort((one, other) => one - other)
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return {
    requests: latencies.length,
    seconds,
    perSecond: latencies.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
  }

  function oneConnection(): Promise<void> {
    return new Promise((resolve, reject) => {
      let sentAt = 0
      let buffered = ''
      const send = (socket: Socket) => {
        sentAt = performance.now()
        socket.write(options.next(sent))
        sent += 1
      }
      Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          open: send,
          data(socket, chunk) {
            buffered += chunk.toString('latin1')
            const length = answerLength(buffered)
            if (length === undefined || buffered.length < length) return
            if (!buffered.startsWith(`HTTP/1.1 ${options.status} `)) {
              reject(new Error(`Unexpected answer: ${buffered.slice(0, 600)}`))
              socket.end()
              return
            }
            buffered = buffered.slice(length)
            const now = performance.now()
            latencies.push(now - sentAt)
            if (now < endsAt) send(socket)
            else {
              resolve()
              socket.end()
            }
          },
          error: (_, error) => reject(error),
          connectError: (_, error) => reject(error),
          close: () => reject(new Error('The connection was closed.')),
        },
      }).catch(reject)
    })
  }
}

/** Length of the first answer in the text, once its head is there. Every answer here has a content-length. */
function answerLength(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))
  return head + 4 + Number(length?.[1] ?? 0)
}
