import { dlopen } from 'bun:ffi'
import { systemClock } from '../clock.ts'

export const C_LIBRARY = 'libc.so.6'
const UNIX = 1
const DATAGRAM_CLOSED_ON_EXEC = 0o2000002
const FAMILY_BYTES = 2

interface Supervisor {
  /** The server works; `words` are shown by `systemctl status`. From now on, systemd restarts it when it hangs. */
  ready(words: string): void
  stopping(): void
}

/**
 * Reports the state of the server to systemd (sd_notify(3)). Does nothing if systemd didn't ask for it. Bun has no
 * datagrams on Unix sockets, so this uses the C library.
 */
export function createSupervisor(environment: Record<string, string | undefined> = process.env): Supervisor {
  const path = environment.NOTIFY_SOCKET
  if (!path) return { ready() {}, stopping() {} }
  const send = (text: string) => sendDatagram(path, text)
  // Half the time after which systemd takes the server for hung (sd_watchdog_enabled(3)).
  const everyMs = Number(environment.WATCHDOG_USEC ?? 0) / 1000 / 2
  let cancelTimer = () => {}

  function beat(): void {
    send('WATCHDOG=1')
    cancelTimer = systemClock.after(everyMs, beat)
  }

  return {
    ready(words) {
      send(`READY=1\nSTATUS=${words}`)
      if (everyMs > 0) beat()
    },
    stopping() {
      cancelTimer()
      send('STOPPING=1\nSTATUS=Stopping')
    },
  }
}

/** Whether it was sent. Callers can ignore a failure: systemd notices a missing message. */
function sendDatagram(path: string, text: string): boolean {
  try {
    return sendWith(C_LIBRARY, path, text)
  } catch {
    return false
  }
}

function sendWith(library: string, path: string, text: string): boolean {
  const { symbols, close } = dlopen(library, {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
    close: { args: ['i32'], returns: 'i32' },
  })
  const address = addressOf(path)
  const bytes = Buffer.from(text)
  const descriptor = symbols.socket(UNIX, DATAGRAM_CLOSED_ON_EXEC, 0)
  try {
    return (
      symbols.sendto(descriptor, bytes, bytes.length, 0, address, address.length) === BigInt(bytes.length)
    )
  } finally {
    symbols.close(descriptor)
    close()
  }
}

/** `struct sockaddr_un` (unix(7)). `@` begins an abstract name, which has a zero byte in its place. */
function addressOf(path: string): Buffer {
  const name = Buffer.from(path.startsWith('@') ? `\0${path.slice(1)}` : `${path}\0`)
  const address = Buffer.alloc(FAMILY_BYTES + name.length)
  address.writeUInt16LE(UNIX)
  name.copy(address, FAMILY_BYTES)
  return address
}
