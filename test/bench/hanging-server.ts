import { createServer, type Socket } from 'node:net'

/** Takes every connection and answers nothing. */
export async function startHangingServer(): Promise<{ port: number; stop(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
