import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeCertificates, writeCaFile } from '../support/certificates.ts'

export interface CountingReceiver {
  url: string
  caFile: string
  /** Monotonic milliseconds at which each request was complete. */
  times: number[]
  /** Settles when so many requests have come since the last `reset`. */
  received(howMany: number): Promise<void>
  reset(): void
  stop(): void
}

/** Answers 200 and remembers only when. */
export async function startCountingReceiver(): Promise<CountingReceiver> {
  const { valid } = await makeCertificates()
  const caFile = await writeCaFile()
  let times: number[] = []
  let waiting: { howMany: number; resolve: () => void } | undefined
  const server = createServer({ ...valid, keepAliveTimeout: 600_000 }, (incoming, response) => {
    incoming.resume()
    incoming.on('end', () => {
      response.end('ok')
      times.push(performance.now())
      if (waiting && times.length >= waiting.howMany) waiting.resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}/hook`,
    caFile,
    get times() {
      return times
    },
    received: (howMany) =>
      new Promise((resolve) => {
        if (times.length >= howMany) resolve()
        else waiting = { howMany, resolve }
      }),
    reset() {
      times = []
      waiting = undefined
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
