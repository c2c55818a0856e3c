import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { hostName, type Network, readAllowedHost } from '../allowed-host.ts'

const MAX_URL_LENGTH = 2_048
/** Names that are never public: RFC 6761, RFC 6762, RFC 8375, and `.internal`, which ICANN reserves. */
const PRIVATE_NAMES = ['localhost', 'local', 'internal', 'home.arpa']

type Address = ReturnType<typeof ipaddr.parse>

export const URL_REFUSALS = [
  'invalid_url',
  'url_too_long',
  'not_https',
  'has_credentials',
  'blocked_host',
  'blocked_address',
] as const

interface UrlRefusal {
  code: (typeof URL_REFUSALS)[number]
  /** Tells the administrator what to change. */
  detail: string
}

/** Where deliveries may be sent: to public addresses, and to those that the operator allows. */
export interface AddressPolicy {
  /** Why this URL cannot be an endpoint, or null. Does not resolve names: every connection does that. */
  refusalOfUrl(url: string): UrlRefusal | null
  /** Whether a connection to this address of this host name is allowed. Checked for every connection. */
  allows(address: string, hostname: string): boolean
}

/**
 * `allow` holds networks (`127.0.0.0/8`), addresses (`::1`) and host names (`hooks.internal`) that endpoints may use
 * although they are not public. An allowed name may resolve to any address. Throws an `Error` that names a wrong entry.
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

  function refusalOfUrl(text: string): UrlRefusal | null {
    if (text.length > MAX_URL_LENGTH) {
      return { code: 'url_too_long', detail: `The URL must be at most ${MAX_URL_LENGTH} characters.` }
    }
    const url = hasSpaceOrControl(text) ? null : URL.parse(text)
    if (!url) return { code: 'invalid_url', detail: 'Enter a URL such as https://example.com/hooks.' }
    if (url.protocol !== 'https:') {
      return { code: 'not_https', detail: 'The URL must start with https://.' }
    }
    // A client treats port 0 as no port and would connect to 443.
    if (url.port === '0') return { code: 'invalid_url', detail: 'Port 0 is not valid.' }
    if (url.username || url.password) {
      return { code: 'has_credentials', detail: 'The URL must not contain a user name or password.' }
    }
    return refusalOfHost(url.hostname)
  }

  function refusalOfHost(hostname: string): UrlRefusal | null {
    const name = hostName(hostname)
    if (isIP(name)) {
      if (allows(name, name)) return null
      return { code: 'blocked_address', detail: `${name} is not a public address.` }
    }
    if (names.has(name) || !isPrivateName(name)) return null
    return { code: 'blocked_host', detail: `${name} is not a public host name.` }
  }

  return { refusalOfUrl, allows }
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

function hasSpaceOrControl(text: string): boolean {
  // The URL parser drops these silently, but the URL must be used exactly as registered.
  for (const character of text) if (character <= ' ' || character === '\u007f') return true
  return false
}
