import { connect, createServer, type Socket } from 'node:net'
import { reservePort } from './ports.ts'

export interface Cut {
  /** Whose bytes are counted. */
  of: 'client' | 'server'
  /** So many bytes of a connection still pass. With 0 a server's greeting or a client's first word never arrives. */
  afterBytes: number
  /** `cut` closes both sides; `stall` keeps them open and lets nothing more pass in this direction. */
  does: 'cut' | 'stall'
  /** How many connections it hits; one by default. */
  times?: number
}

export interface CutProxy {
  host: string
  port: number
  /** Bytes that passed through each connection, oldest first. Encrypted ones count as they are. */
  connections: { fromClient: number; fromServer: number }[]
  /** For the connections opened from now on. */
  cut(cut: Cut): void
  /** Breaks off all open connections. */
  cutAll(): void
  /** Forgets the cuts that have not happened; stalled connections stay. */
  heal(): void
  stop(): Promise<void>
}

/** Starts a TCP proxy on 127.0.0.1 that breaks connections when a test says. */
export async function startCutProxy(to: { port: number }): Promise<CutProxy> {
  const port = reservePort()
  const sockets = new Set<Socket>()
  let cuts: { cut: Cut; times: number }[] = []

  const proxy: CutProxy = {
    host: '127.0.0.1',
    port,
    connections: [],
    cut: (cut) => void cuts.push({ cut, times: cut.times ?? 1 }),
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
    heal() {
      cuts = []
    },
    stop() {
      proxy.cutAll()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }

  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: to.port })
    const passed = { fromClient: 0, fromServer: 0 }
    const cut = nextCut()
    proxy.connections.push(passed)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        // What it has sent still has to reach the other one.
        other.end()
      })
    }
    pass(client, upstream, 'fromClient', cut?.of === 'client' ? cut : undefined)
    pass(upstream, client, 'fromServer', cut?.of === 'server' ? cut : undefined)

    function pass(from: Socket, to: Socket, count: keyof typeof passed, cut: Cut | undefined): void {
      from.on('data', (chunk: Buffer) => {
        const left = cut ? cut.afterBytes - passed[count] : Number.POSITIVE_INFINITY
        const part = chunk.subarray(0, Math.min(left, chunk.length))
        passed[count] += part.length
        if (passed[count] === cut?.afterBytes) return hit(part)
        if (to.write(part)) return
        from.pause()
        to.once('drain', () => from.resume())
      })
      if (cut?.afterBytes === 0) hit(Buffer.alloc(0))

      function hit(last: Buffer): void {
        from.pause()
        // What passes must arrive before the end does.
        if (cut?.does === 'cut') to.end(last, end)
        else if (last.length > 0) to.write(last)
      }
      from.on('end', () => to.end())
    }

    function end(): void {
      client.destroy()
      upstream.destroy()
    }
  })

  function nextCut(): Cut | undefined {
    const next = cuts[0]
    if (!next) return undefined
    next.times -= 1
    if (next.times === 0) cuts = cuts.slice(1)
    return next.cut
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  return proxy
}
