import ipaddr from 'ipaddr.js'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** The server that received a request. It knows the client's IP address. */
export interface Server {
  requestIP(request: Request): { address: string } | null
}

/** Whether an address is in one of the trusted networks. */
export function createTrustCheck(trusted: string[]): (address: string) => boolean {
  const networks = trusted.map((network) => ipaddr.parseCIDR(network))
  return (address) => networks.length > 0 && isTrusted(address, networks)
}

/** Whether a request comes from a proxy in one of the trusted networks. */
export function createProxyCheck(trusted: string[]): (request: Request, server: Server | null) => boolean {
  const networks = trusted.map((network) => ipaddr.parseCIDR(network))
  return (request, server) => {
    if (networks.length === 0) return false
    return isTrusted(server?.requestIP(request)?.address ?? 'unknown', networks)
  }
}

/**
 * Returns the client's IP address. Uses the last entry of `X-Forwarded-For` that isn't in a trusted network, and only if
 * the request comes from a trusted network.
 */
export function createAddressReader(trusted: string[]): (request: Request, server: Server | null) => string {
  const networks = trusted.map((network) => ipaddr.parseCIDR(network))
  return (request, server) => {
    const direct = server?.requestIP(request)?.address ?? 'unknown'
    if (networks.length === 0 || !isTrusted(direct, networks)) return direct
    const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? []
    for (const entry of forwarded.map((one) => one.trim()).reverse()) {
      if (!isTrusted(entry, networks)) return ipaddr.isValid(entry) ? entry : direct
    }
    return direct
  }
}

function isTrusted(address: string, networks: Network[]): boolean {
  if (!ipaddr.isValid(address)) return false
  return ipaddr.subnetMatch(ipaddr.process(address), { trusted: networks }, 'none') === 'trusted'
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
