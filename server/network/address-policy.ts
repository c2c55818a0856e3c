import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { hostName, type Network, readAllowedHost } from './allowed-host.ts'

const LOOPBACK_NAME = 'localhost'
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1']
/** Names that are never public: RFC 6761, RFC 6762, RFC 8375, and `.internal`, which ICANN reserves. */
const PRIVATE_NAMES = [LOOPBACK_NAME, 'local', 'internal', 'home.arpa']

type Address = ReturnType<typeof ipaddr.parse>

/** Why a host may not be used. `detail` is a sentence for the administrator. */
interface HostRefusal {
  code: 'blocked_host' | 'blocked_address'
  detail: string
}

/** Where the server may connect for an administrator: to public addresses, and to those that the operator allows. */
export interface AddressPolicy {
  /** Why this host name or IP address cannot be used, or null. Does not resolve names: every connection does that. */
  refusalOfHost(hostname: string): HostRefusal | null
  /** Whether a connection to this address of this host name is allowed. Checked for every connection. */
  allows(address: string, hostname: string): boolean
}

/**
 * `allow` holds networks (`127.0.0.0/8`), addresses (`::1`) and host names (`hooks.internal`) that may be
 * used although they are not public. An allowed name may resolve to any address, any other name into a public or an allowed
 * network. Throws an `Error` that names a wrong entry.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const networks: Network[] = []
  const names = new Set<string>()
  for (const entry of allow) {
    const allowed = readAllowedHost(entry)
    if (typeof allowed === 'string') names.add(allowed)
    else networks.push(allowed)
  }

  function allows(address: string, hostname: string): boolean {
    if (!isIP(address)) return false
    if (names.has(hostName(hostname))) return true
    const parsed = ipaddr.parse(address)
    return isPublic(parsed) || networks.some((network) => contains(network, parsed))
  }

  function refusalOfHost(hostname: string): HostRefusal | null {
    const name = hostName(hostname)
    if (isIP(name)) {
      if (allows(name, name)) return null
      return { code: 'blocked_address', detail: `${name} is not a public address.` }
    }
    if (names.has(name) || !isPrivateName(name) || mayResolveIntoAllowed(name)) return null
    return { code: 'blocked_host', detail: `${name} is not a public host name.` }
  }

  /** Whether it does is only known when connecting, except for `localhost` (RFC 6761, section 6.3). */
  function mayResolveIntoAllowed(name: string): boolean {
    const isLoopback = name === LOOPBACK_NAME || name.endsWith(`.${LOOPBACK_NAME}`)
    return isLoopback ? LOOPBACK_ADDRESSES.some((address) => allows(address, name)) : networks.length > 0
  }

  return { refusalOfHost, allows }
}

function contains([network, bits]: Network, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network, bits)
}

/**
 * An ordinary unicast address. Excludes all special ranges, and of IPv6 all but 2000::/3. That excludes the forms that
 * contain an IPv4 address (mapped, compatible, 6to4, Teredo, NAT64), which could be a private one.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || isGlobalUnicast(address.toByteArray())
}

function isGlobalUnicast([first = 0]: number[]): boolean {
  return first >> 5 === 0b001
}

function isPrivateName(name: string): boolean {
  return PRIVATE_NAMES.some((end) => name === end || name.endsWith(`.${end}`))
}
