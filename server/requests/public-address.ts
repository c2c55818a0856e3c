import { hostname, networkInterfaces } from 'node:os'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { hostName } from '../network/allowed-host.ts'
import { createProxyCheck, type Server } from './address.ts'
import { baseUrl } from './headers.ts'
import { pathOf } from './query.ts'

/** Supervisors may use any address, and learn only whether the server works. */
const ANY_HOST = '/health/'
/** Ways to write the public host: with and without the port, in capitals. */
const MAX_KNOWN = 16

/** The addresses by which people and programs reach this server. A `Host` header can hold anything. */
interface PublicAddress {
  /** Whether the browser uses https, as `BELLHOP_URL` or a trusted proxy says. */
  isSecure(request: Request, server: Server | null): boolean
  /** Throws 421 for a host that isn't `BELLHOP_URL`, this machine, or one of its addresses. Without `BELLHOP_URL` any is allowed. */
  requireOurHost(request: Request): void
  /** The same without `BELLHOP_URL`: a website could reach a server on someone's machine by a name of its own (DNS rebinding). */
  requireKnownHost(request: Request): void
  /**
   * The start of a link with a secret: `BELLHOP_URL`, or else the address that the browser used if it is one of this
   * machine's own. Throws 409 for any other, which could send the secret to another server.
   */
  linkBase(request: Request): string
}

export function createPublicAddress({ publicUrl, tls, trustProxy }: Config): PublicAddress {
  const isFromProxy = createProxyCheck(trustProxy)
  const isHttps = tls !== undefined || (publicUrl?.startsWith('https:') ?? false)
  const publicName = publicUrl === undefined ? undefined : hostName(new URL(publicUrl).hostname)
  /** Hosts exactly as sent, so that known ones aren't parsed again. */
  const known = new Set<string>()

  return {
    isSecure(request, server) {
      if (isHttps) return true
      // With several proxies, the first entry is what the browser used.
      const [scheme] = request.headers.get('x-forwarded-proto')?.split(',') ?? []
      return scheme?.trim() === 'https' && isFromProxy(request, server)
    },
    requireOurHost(request) {
      if (publicName === undefined) return
      const host = request.headers.get('host') ?? ''
      if (known.has(host)) return
      const name = nameIn(host)
      if (name === publicName && known.size < MAX_KNOWN) known.add(host)
      if (name !== publicName && !isThisMachine(name) && !pathOf(request.url).startsWith(ANY_HOST))
        throw wrongHost(publicUrl)
    },
    requireKnownHost(request) {
      if (publicName !== undefined || isThisMachine(nameIn(request.headers.get('host') ?? ''))) return
      throw new AppError(
        421,
        'wrong_host',
        'Set BELLHOP_URL to the address where people open Bellhop, and restart it. Until then, this works only by the names and addresses of the machine itself.',
      )
    },
    linkBase(request) {
      if (publicUrl === undefined && !isThisMachine(nameIn(request.headers.get('host') ?? ''))) {
        throw addressUnknown()
      }
      return baseUrl(request, publicUrl)
    },
  }
}

/** Whether a host is this machine by a name that no one else can point elsewhere: loopback, its addresses, its name. */
function isThisMachine(name: string | undefined): boolean {
  if (isLoopbackHost(name) || name === hostname().toLowerCase()) return true
  return Object.values(networkInterfaces()).some((found) => found?.some(({ address }) => address === name))
}

/** Whether a name without port and brackets is this machine's loopback. */
export function isLoopbackHost(name: string | undefined): boolean {
  if (name === undefined) return false
  return name === 'localhost' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/** The name or address in a `Host` header, or undefined if it holds something else. */
export function nameIn(host: string): string | undefined {
  const url = URL.parse(`http://${host}`)
  return url?.host && url.pathname === '/' && url.username === '' ? hostName(url.hostname) : undefined
}

function wrongHost(publicUrl: string | undefined): AppError {
  return new AppError(
    421,
    'wrong_host',
    `This server is at ${publicUrl} (BELLHOP_URL). If it is behind a proxy, configure the proxy to pass on the Host header.`,
  )
}

function addressUnknown(): AppError {
  return new AppError(
    409,
    'address_unknown',
    'Set BELLHOP_URL to the address where people open Bellhop, and restart it. Until then, links can be created only on the machine that runs Bellhop.',
  )
}
