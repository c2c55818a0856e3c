import { hostName } from '../network/allowed-host.ts'
import { isLoopbackHost } from '../requests/public-address.ts'
import { isPrivate } from './oauth-addresses.ts'

const MAX_LENGTH = 1_024
/** As browsers read it, too: they take `https:host` and `HTTPS://host` for the same. */
const WRITTEN_OUT = /^https?:\/\/[!-~]+$/
/** An address with a port, in three parts. */
const PORT = /^(http:\/\/(?:\[[^\]]*\]|[^/?:[\]]+)):\d{1,5}((?:[/?].*)?)$/

/** Whether a program may send people back there: https or loopback, without a fragment and credentials. */
export function isRedirectUri(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !WRITTEN_OUT.test(value)) return false
  const url = URL.parse(value)
  if (!url || value.includes('#') || url.username !== '' || url.password !== '') return false
  return isPrivate(url)
}

/**
 * Whether the program has named this address. It must be the same character by character, except for the port of a
 * program on the agent's machine, which takes a free one each time (RFC 8252, section 7.3).
 */
export function isNamedRedirect(named: readonly string[], wanted: string): boolean {
  if (named.includes(wanted)) return true
  const portless = withoutLoopbackPort(wanted)
  return portless !== undefined && named.some((one) => withoutLoopbackPort(one) === portless)
}

/** The host that is shown to people; undefined for the agent's own machine. */
export function redirectHost(uri: string): string | undefined {
  const { hostname, host } = new URL(uri)
  return isLoopbackHost(hostName(hostname)) ? undefined : host
}

/** The address with more parameters. Those that it has stay as they are (RFC 6749, section 3.1.2). */
export function redirectTo(uri: string, parameters: Record<string, string | undefined>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.set(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${search}`
}

function withoutLoopbackPort(uri: string): string | undefined {
  const url = URL.parse(uri)
  if (url?.protocol !== 'http:' || !isLoopbackHost(hostName(url.hostname))) return undefined
  return uri.replace(PORT, '$1$2')
}
