import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../clock.ts'
import type { AddressPolicy } from './address-policy.ts'
import { checkedLookup, type Resolve, resolveName } from './checked-lookup.ts'
import { ConnectionError } from './connection-errors.ts'
import { createTrust } from './trusted-certificates.ts'

interface DialerOptions {
  clock: Clock
  policy: AddressPolicy
  /** PEM certificates to trust in addition to the system's. */
  ca: string | undefined
  /** DNS by default. */
  resolve?: Resolve
}

interface DialTarget {
  /** A host name, or an IP address without brackets. */
  host: string
  port: number
  /** Whether TLS starts at once. Otherwise the socket is plain, and `tlsOptions` are for upgrading it. */
  isTls: boolean
}

/** For `tls.connect`: only trusted certificates that are issued for the host. */
interface TlsOptions {
  secureContext: SecureContext
  rejectUnauthorized: true
  servername?: string
}

/** Opens connections under an address policy. Sockets are made here, because not every client passes `lookup` on. */
export interface Dialer {
  /**
   * A connected socket; with TLS, after the handshake and the check of the certificate. Rejects with `ConnectionError`
   * or an error of Node, which `connectionErrorOf` tells apart.
   */
  dial(target: DialTarget, timeoutMs: number): Promise<Socket>
  tlsOptions(host: string): TlsOptions
  /** The `lookup` for a client that must make its own socket. Throws `ConnectionError` for a blocked IP address. */
  lookupFor(host: string): LookupFunction
}

/** A dialer of the process. Loads certificates at first use, which takes about 30 ms. */
export function createDialer({ clock, policy, ca, resolve = resolveName }: DialerOptions): Dialer {
  let trust: SecureContext | undefined

  function tlsOptions(host: string): TlsOptions {
    trust ??= createTrust(ca)
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment has no effect.
    const verified = { secureContext: trust, rejectUnauthorized: true } as const
    // RFC 6066 allows no IP address as a server name.
    return isIP(host) ? verified : { ...verified, servername: host }
  }

  function lookupFor(host: string, onResolved?: () => void): LookupFunction {
    if (isIP(host) && !policy.allows(host, host)) {
      throw new ConnectionError('blocked_address', `${host} is not a public address.`)
    }
    return checkedLookup(resolve, policy, onResolved)
  }

  async function dial({ host, port, isTls }: DialTarget, timeoutMs: number): Promise<Socket> {
    let isResolved = isIP(host) !== 0
    const options = {
      host,
      port,
      lookup: lookupFor(host, () => {
        isResolved = true
      }),
    }
    // Loaded when first used, so that the server starts faster.
    const { connect: connectTls } = process.getBuiltinModule('node:tls')
    const socket = isTls ? connectTls({ ...options, ...tlsOptions(host) }) : connect(options)
    return new Promise((open, fail) => {
      const stop = (error: Error) => {
        cancelTimer()
        socket.destroy()
        fail(error)
      }
      const cancelTimer = clock.after(timeoutMs, () => {
        stop(new ConnectionError(isResolved ? 'connect_timeout' : 'dns', `Connecting to ${host} timed out.`))
      })
      const onClose = () => stop(new Error(`${host} closed the connection.`))
      socket.once('error', stop)
      socket.once('close', onClose)
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        cancelTimer()
        socket.off('error', stop)
        socket.off('close', onClose)
        open(socket)
      })
    })
  }

  return { dial, tlsOptions, lookupFor }
}
