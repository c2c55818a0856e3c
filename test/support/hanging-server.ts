import { createServer, type Socket } from 'node:net'

interface HangingServer {
  port: number
  /** How many connections it has taken so far. */
  connections(): number
  stop(): void
}

/** Takes every connection and answers nothing. */
export async function startHangingServer(): Promise<HangingServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    connections: () => connections,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
