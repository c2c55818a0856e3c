import ipaddr from 'ipaddr.js'
import { createProxyCheck, type Server } from './address.ts'

interface ProxyWatch {
  look(request: Request, server: Server | null): void
  /** The address of a proxy that `BELLHOP_TRUST_PROXY` doesn't name, once one was seen. */
  seen(): string | undefined
}

/**
 * Notices requests that came through a proxy whose headers aren't trusted. Only proxies on this machine or its network
 * count, because a public client can forge the header. `onSeen` is called once.
 */
export function watchUntrustedProxies(
  trusted: string[],
  onSeen: (address: string) => void = () => {},
): ProxyWatch {
  const isTrusted = createProxyCheck(trusted)
  let seen: string | undefined
  return {
    look(request, server) {
      if (seen !== undefined || !request.headers.has('x-forwarded-for') || isTrusted(request, server)) return
      const address = server?.requestIP(request)?.address ?? ''
      if (!ipaddr.isValid(address) || ipaddr.process(address).range() === 'unicast') return
      seen = address
      onSeen(address)
    },
    seen: () => seen,
  }
}
