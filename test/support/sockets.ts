import { connect, type Socket } from 'node:net'

/** A bare connection, for clients that send slowly or never finish. */
export interface BareConnection extends Disposable {
  socket: Socket
  /** What the server has sent so far. */
  received(): string
  /** Settles when the server has sent a whole head, or closes. Returns the status, or 0 without an answer. */
  status(): Promise<number>
  /** Settles when the connection is closed. */
  closed: Promise<void>
}

/** `from` is the address of this machine to connect from, such as 127.0.0.2. */
export function openConnection(url: string, text = '', from?: string): Promise<BareConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  const answered = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    if (received.includes('\r\n\r\n')) answered.resolve()
  })
  // Its end follows.
  socket.on('error', () => {})
  socket.on('close', () => {
    answered.resolve()
    closed.resolve()
  })
  const connection: BareConnection = {
    socket,
    received: () => received,
    async status() {
      await answered.promise
      return Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0)
    },
    closed: closed.promise,
    [Symbol.dispose]: () => void socket.destroy(),
  }
  return new Promise((resolve) => {
    socket.on('connect', () => {
      socket.write(text)
      resolve(connection)
    })
    socket.on('close', () => resolve(connection))
  })
}

export function openConnections(
  count: number,
  open: (number: number) => Promise<BareConnection>,
): Promise<BareConnection[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => open(number)))
}
