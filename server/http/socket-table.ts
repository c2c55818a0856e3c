import { dlopen } from 'bun:ffi'
import ipaddr from 'ipaddr.js'
import { C_LIBRARY } from '../machine/sd-notify.ts'

const ADDRESS_BYTES = 128
const IPV4 = 2
const IPV6 = 10
const BOTH_DIRECTIONS = 2

export interface Connection {
  descriptor: number
  /** The IP address of the client. */
  address: string
}

/** The TCP connections of this process, as Linux knows them. */
export interface SocketTable {
  /** Connections to a local port, among the descriptors below a number. */
  connectionsTo(port: number, below: number): Connection[]
  /** Ends a connection as if the client had: Bun then closes it. Closing it here would free its number too early. */
  shutDown(descriptor: number): void
}

/** Bun has no list of its connections, and closes only some of them, so this asks the C library. Undefined without one. */
export function openSocketTable(): SocketTable | undefined {
  try {
    return tableOf(C_LIBRARY)
  } catch {
    return undefined
  }
}

function tableOf(library: string): SocketTable {
  const { symbols } = dlopen(library, {
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    getpeername: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
  })
  const address = new Uint8Array(ADDRESS_BYTES)
  const view = new DataView(address.buffer)
  const length = new Uint32Array(1)

  function read(which: typeof symbols.getsockname, descriptor: number): boolean {
    length[0] = ADDRESS_BYTES
    return which(descriptor, address, length) === 0 && [IPV4, IPV6].includes(view.getUint16(0, true))
  }

  return {
    connectionsTo(port, below) {
      const connections: Connection[] = []
      for (let descriptor = 0; descriptor < below; descriptor += 1) {
        if (!read(symbols.getsockname, descriptor) || view.getUint16(2) !== port) continue
        // Skips the listening socket.
        if (read(symbols.getpeername, descriptor)) connections.push({ descriptor, address: textOf(address) })
      }
      return connections
    },
    shutDown: (descriptor) => void symbols.shutdown(descriptor, BOTH_DIRECTIONS),
  }
}

/** The address in a `sockaddr_in` or `sockaddr_in6` (Linux, ip(7) and ipv6(7)). */
function textOf(address: Uint8Array): string {
  if (address[0] === IPV4) return address.subarray(4, 8).join('.')
  // A client of IPv4 at a server that listens on `::` is not one of IPv6.
  return ipaddr.process(ipaddr.fromByteArray([...address.subarray(8, 24)]).toString()).toString()
}
