import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Rejects ports, paths, and `*`, which would be ignored silently. */
const HOST_NAME = /^[\p{L}\p{N}_.-]+$/u

export type Network = ReturnType<typeof ipaddr.parseCIDR>

/**
 * Parses an entry of `BELLHOP_WEBHOOK_ALLOW` or `BELLHOP_MAIL_ALLOW`: a network (`127.0.0.0/8`), an IP address (`::1`), or a host name
 * (`hooks.internal`, normalized by `hostName`). Throws an `Error` for anything else.
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
    throw new Error(`"${entry}" isn't a network such as 10.0.0.0/8, an IP address, or a host name.`)
  }
}

/** Normalizes a host for comparison: lowercase, without IPv6 brackets or a trailing dot. */
export function hostName(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}
