import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * What happens to one request. `lost` and `cut`: it is carried out, and the connection ends before or within the answer.
 * `none`: nothing.
 */
type Fault = 'lost' | 'cut' | 'refused' | 'none' | { status: number; headers?: Record<string, string> }

export interface PassedRequest {
  method: string
  path: string
  idempotencyKey: string | undefined
}

/** Sits between a client and the server, and applies faults to the next requests. */
export interface FlakyProxy {
  url: string
  /** Every request, also those that failed. */
  requests: PassedRequest[]
  /** For the next requests, one each. */
  faults: Fault[]
  stop(): Promise<void>
}

/** At any free port by default. */
export async function startFlakyProxy(target: string, at = 0): Promise<FlakyProxy> {
  const requests: PassedRequest[] = []
  const faults: Fault[] = []
  const server = createServer((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const body = await buffer(request)
    requests.push({ method, path, idempotencyKey: headers['idempotency-key']?.toString() })
    const fault = faults.shift()
    if (fault === 'refused') return void request.socket.destroy()
    if (typeof fault === 'object') {
      response.writeHead(fault.status, { 'content-type': 'text/plain', ...fault.headers }).end('no')
      return
    }
    const { host: _, connection: __, 'transfer-encoding': ___, ...passed } = headers
    const answered = await fetch(target + path, {
      method,
      headers: { ...(passed as Record<string, string>), 'accept-encoding': 'identity' },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
      redirect: 'manual',
    })
    const bytes = await answered.bytes()
    if (fault === 'lost') return void request.socket.destroy()
    response.writeHead(answered.status, {
      ...Object.fromEntries(answered.headers),
      ...(fault === 'cut' && { 'content-length': bytes.length }),
    })
    if (fault === 'cut') return void response.write(bytes.subarray(0, -1), () => request.socket.destroy())
    response.end(bytes)
  }

  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    faults,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
