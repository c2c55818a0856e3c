import type { Socket } from 'bun'

/** One connection through the relay. Nothing gets through one that is dead. */
export interface Relayed {
  isDead: boolean
}

/** `cut` ends the connection and drops what was sent; `pass and cut` delivers it first. */
type Decision = 'pass' | 'cut' | 'pass and cut'

/** The connections that wait for notifications, or every one. */
type Which = 'listening' | 'all'

export interface DatabaseRelay extends Disposable {
  /** Of the database through the relay. */
  url: string
  open: ReadonlySet<Relayed>
  /** Ends what is open, and leads to another server from then on, as an address does that follows the primary. */
  leadTo(address: string): void
  /**
   * Nothing arrives anymore in either direction, and no connection ends, as in a network that loses every packet. New
   * connections are accepted, and nothing answers on them.
   */
  silence(which: Which): void
  /** What was sent meanwhile arrives now, as TCP sends it again. */
  restore(): void
  /** How long each direction takes, in milliseconds. */
  delay(milliseconds: number): void
}

/** Between the service and the database server at an address. */
export function startDatabaseRelay(
  address: string,
  on: { open?: (connection: Relayed) => void; sent?: (connection: Relayed, text: string) => Decision } = {},
): DatabaseRelay {
  let target = new URL(address)
  let silenced: Which | undefined
  let delayMs = 0
  const clients = new Map<Relayed, Socket<Ends>>()
  const isHeld = ({ isListening }: Ends) => silenced === 'all' || (silenced === 'listening' && isListening)

  function openPipe(ends: Ends): Pipe {
    return createPipe(
      () => isHeld(ends),
      () => delayMs,
    )
  }

  const relay = Bun.listen<Ends>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(client) {
        const connection = { isDead: false }
        const ends: Ends = { connection, isListening: false, up: noPipe, down: noPipe }
        ends.up = openPipe(ends)
        ends.down = openPipe(ends)
        ends.down.lead(client)
        client.data = ends
        clients.set(connection, client)
        on.open?.(connection)
        Bun.connect({
          hostname: target.hostname,
          port: Number(target.port),
          socket: {
            open: (server) => ends.up.lead(server),
            data: (_, chunk) => void (connection.isDead || ends.down.push(chunk)),
            drain: () => ends.up.flow(),
            close: () => void (connection.isDead || ends.down.end()),
          },
        }).catch(() => client.terminate())
      },
      data(client, chunk) {
        const { connection, up } = client.data
        if (connection.isDead) return
        const text = chunk.toString('latin1')
        // In the simple protocol and as a prepared statement.
        if (/^(?:Q.{4}|P.{4}[^\0]*\0)listen /is.test(text)) client.data.isListening = true
        const decision = on.sent?.(connection, text) ?? 'pass'
        if (decision !== 'cut') up.push(chunk)
        if (decision !== 'pass') client.terminate()
      },
      drain: (client) => client.data.down.flow(),
      close({ data: { connection, up } }) {
        clients.delete(connection)
        up.end()
      },
    },
  })
  const place = new URL(address)
  place.port = String(relay.port)
  return {
    url: place.href,
    get open() {
      return new Set(clients.keys())
    },
    leadTo(other) {
      target = new URL(other)
      for (const client of clients.values()) client.terminate()
    },
    silence(which) {
      silenced = which
    },
    restore() {
      silenced = undefined
      for (const { data } of clients.values()) {
        data.up.flow()
        data.down.flow()
      }
    },
    delay(milliseconds) {
      delayMs = milliseconds
    },
    [Symbol.dispose]: () => relay.stop(true),
  }
}

interface Ends {
  connection: Relayed
  /** Whether it has sent LISTEN. */
  isListening: boolean
  up: Pipe
  down: Pipe
}

/** One direction of a connection. */
interface Pipe {
  /** Where it leads. What was pushed before waits for it. */
  lead(socket: Socket<Ends> | Socket): void
  push(chunk: Buffer): void
  /** Sends what waits, as far as it may and the socket takes it. */
  flow(): void
  /** Ends the socket after everything that was pushed. */
  end(): void
}

const noPipe: Pipe = { lead() {}, push() {}, flow() {}, end() {} }

function createPipe(isHeld: () => boolean, delayMs: () => number): Pipe {
  const waiting: Buffer[] = []
  let to: Socket<Ends> | Socket | undefined
  let hasEnded = false
  let freeAt = 0

  function flow(): void {
    if (!to || isHeld()) return
    for (let [chunk] = waiting; chunk; [chunk] = waiting) {
      const written = to.write(chunk)
      if (written < chunk.length) {
        waiting[0] = chunk.subarray(Math.max(written, 0))
        return
      }
      waiting.shift()
    }
    if (hasEnded) to.end()
  }

  /** In order, also when the delay has become shorter. */
  function later(work: () => void): void {
    const now = performance.now()
    freeAt = Math.max(freeAt, now + delayMs())
    if (freeAt <= now) work()
    else setTimeout(work, freeAt - now)
  }

  return {
    lead(socket) {
      to = socket
      flow()
    },
    push(chunk) {
      later(() => {
        waiting.push(chunk)
        flow()
      })
    },
    flow,
    end() {
      later(() => {
        hasEnded = true
        flow()
      })
    },
  }
}
