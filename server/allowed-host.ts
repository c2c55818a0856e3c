import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** No port, path or `*`: they would be ignored silently. */
const HOST_NAME = /^[\p{L}\p{N}_.-]+$/u

export type Network = ReturnType<typeof ipaddr.parseCIDR>

/**
 * An entry of `BELLHOP_WEBHOOK_ALLOW`: a network (`127.0.0.0/8`), an address (`::1`), or a host name (`hooks.internal`)
 * as `hostName` writes it. Throws an `Error` that names an entry that is none of these.
 */
export function readAllowedHost(entry: string): Network | string {
  try {
    if (entry.includes('/')) return ipaddr.parseCIDR(entry)
    if (!isIP(entry) && !HOST_NAME.test(entry)) throw new Error(entry)
    const { hostname } = new URL(`https://${isIP(entry) === 6 ? `[${entry}]` : entry}`)
    const name = hostName(hostname)
    if (isIP(name)) return ipaddr.parseCIDR(`${name}/${isIP(name) === 4 ? 32 : 128}`)
    return name
  } catch {
    throw new Error(`"${entry}" is not a network like 10.0.0.0/8, an address or a host name.`)
  }
}

/** A host as it is compared: no brackets around an IPv6 address, no dot at the end, lower case. */
export function hostName(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}
