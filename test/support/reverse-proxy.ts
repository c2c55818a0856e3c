import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificate } from './certificates.ts'

/** A proxy in front of the server, as in an office or a data center. */
export interface ReverseProxy {
  url: string
  /** Event streams that are open through it. */
  streams(): number
  /** Breaks all streams off, as proxies do that allow a minute for a response. */
  cut(): void
  /** Streams get nothing more and stay open, as a computer finds them after sleeping. */
  stall(): void
  /** Whether streams are delivered when they are complete, which they never are. */
  collect(isOn: boolean): void
  stop(): Promise<void>
}

/** With a certificate it serves https and says so to the server, as proxies do. */
export async function startReverseProxy(target: string, certificate?: Certificate): Promise<ReverseProxy> {
  const streams = new Set<ServerResponse>()
  const stalled = new WeakSet<ServerResponse>()
  let isCollecting = false

  function forward(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url } = incoming
    const headers = { ...incoming.headers, ...(certificate && { 'x-forwarded-proto': 'https' }) }
    const outgoing = request(target + url, { method, headers }, (answer) => {
      const isStream = answer.headers['content-type'] === 'text/event-stream'
      const { statusCode = 502 } = answer
      if (!isStream) {
        response.writeHead(statusCode, answer.headers)
        answer.pipe(response)
        return
      }
      streams.add(response)
      const collected: Buffer[] = []
      const isCollected = isCollecting
      if (!isCollected) response.writeHead(statusCode, answer.headers)
      answer.on('data', (chunk: Buffer) => {
        if (isCollected) collected.push(chunk)
        else if (!stalled.has(response)) response.write(chunk)
      })
      answer.on('end', () => {
        streams.delete(response)
        if (isCollected) response.writeHead(statusCode, answer.headers)
        response.end(Buffer.concat(collected))
      })
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => {
      streams.delete(response)
      outgoing.destroy()
    })
    incoming.pipe(outgoing)
  }

  const server = certificate ? createTlsServer(certificate, forward) : createServer(forward)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    streams: () => streams.size,
    cut() {
      for (const response of streams) response.destroy()
    },
    stall() {
      for (const response of streams) stalled.add(response)
    },
    collect(isOn) {
      isCollecting = isOn
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
