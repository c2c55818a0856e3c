import ipaddr from 'ipaddr.js'

type Network = ReturnType<typeof ipaddr.parseCIDR>

/**
 * The address a request comes from. `X-Forwarded-For` is believed only as far as trusted networks wrote it: the
 * last entry that is not one of them counts.
 */
export function createAddressReader(
  trusted: string[],
): (request: Request, peer: string | undefined) => string {
  const networks = trusted.map((network) => ipaddr.parseCIDR(network))
  return (request, peer) => {
    const direct = peer ?? 'unknown'
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
