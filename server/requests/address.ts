import ipaddr from 'ipaddr.js'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** The server that took a request: it knows the other end of the connection. */
export interface Server {
  requestIP(request: Request): { address: string } | null
}

/**
 * The address a request comes from. `X-Forwarded-For` is believed only as far as trusted networks wrote it: the
 * last entry that is not one of them counts.
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
