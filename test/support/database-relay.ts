import type { Socket } from 'bun'

/** One connection through the relay. Nothing gets through one that is dead. */
export interface Relayed {
  isDead: boolean
}

/** `cut` ends the connection and drops what was sent; `pass and cut` delivers it first. */
type Decision = 'pass' | 'cut' | 'pass and cut'

export interface DatabaseRelay extends Disposable {
  /** Of the database through the relay. */
  url: string
  open: ReadonlySet<Relayed>
}

/** Between the service and the database server at an address. */
export function startDatabaseRelay(
  address: string,
  on: { open?: (connection: Relayed) => void; sent?: (connection: Relayed, text: string) => Decision },
): DatabaseRelay {
  const { hostname, port } = new URL(address)
  const open = new Set<Relayed>()
  const relay = Bun.listen<Ends>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(client) {
        const connection = { isDead: false }
        client.data = { connection, waiting: [] }
        open.add(connection)
        on.open?.(connection)
        void Bun.connect({
          hostname,
          port: Number(port),
          socket: {
            open(server) {
              client.data.server = server
              for (const chunk of client.data.waiting) server.write(chunk)
            },
            data: (_, chunk) => void (connection.isDead || client.write(chunk)),
            close: () => void (connection.isDead || client.end()),
          },
        })
      },
      data(client, chunk) {
        const { connection, server, waiting } = client.data
        if (connection.isDead) return
        const decision = on.sent?.(connection, chunk.toString('latin1')) ?? 'pass'
        if (decision !== 'cut') {
          if (server) server.write(chunk)
          else waiting.push(chunk)
        }
        if (decision !== 'pass') client.terminate()
      },
      close(client) {
        open.delete(client.data.connection)
        client.data.server?.end()
      },
    },
  })
  const place = new URL(address)
  place.port = String(relay.port)
  return { url: place.href, open, [Symbol.dispose]: () => relay.stop(true) }
}

interface Ends {
  connection: Relayed
  server?: Socket
  waiting: Buffer[]
}
