import ipaddr from 'ipaddr.js'

/** The server that received a request. It knows the client's IP address. */
export interface Server {
  requestIP(request: Request): { address: string } | null
}

/** Whether an address is in one of the trusted networks. */
export function createTrustCheck(trusted: string[]): (address: string) => boolean {
  const networks = trusted.map((network) => ipaddr.parseCIDR(network))
  return (address) =>
    networks.length > 0 &&
    ipaddr.isValid(address) &&
    ipaddr.subnetMatch(ipaddr.process(address), { trusted: networks }, 'none') === 'trusted'
}

/** Whether a request comes from a proxy in one of the trusted networks. */
export function createProxyCheck(trusted: string[]): (request: Request, server: Server | null) => boolean {
  const isTrusted = createTrustCheck(trusted)
  return (request, server) => trusted.length > 0 && isTrusted(directAddress(request, server))
}

/**
 * Returns the client's IP address. Uses the last entry of `X-Forwarded-For` that isn't in a trusted network, and only if
 * the request comes from a trusted network.
 */
export function createAddressReader(trusted: string[]): (request: Request, server: Server | null) => string {
  const isTrusted = createTrustCheck(trusted)
  return (request, server) => {
    const direct = directAddress(request, server)
    if (!isTrusted(direct)) return direct
    const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? []
    for (const entry of forwarded.map((one) => one.trim()).reverse()) {
      if (!isTrusted(entry)) return ipaddr.isValid(entry) ? entry : direct
    }
    return direct
  }
}

function directAddress(request: Request, server: Server | null): string {
  return server?.requestIP(request)?.address ?? 'unknown'
}

/** Reduces an IPv6 address to its /64 network, which usually belongs to one customer. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  const last = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - groups.length - last.length)).fill('0')
  return [...groups, ...zeros, ...last].slice(0, 4).join(':')
}
