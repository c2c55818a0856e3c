import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Fault } from '../../errors.ts'

const MAX_ORIGINS = 50
const MAX_ORIGIN_LENGTH = 300
const WILDCARD = '*.'
const EXAMPLE =
  'Write an address such as https://example.com, https://*.example.com or http://localhost:3000.'

/**
 * Reads the websites that may show a widget, as browsers name them in the `Origin` header (RFC 6454):
 * `https://example.com`, `http://localhost:3000`, or `https://*.example.com` for all subdomains of a domain. Without
 * duplicates; returns every fault.
 */
export async function readOrigins(values: string[]): Promise<{ origins: string[]; faults: Fault[] }> {
  const parsed = await Promise.all(values.slice(0, MAX_ORIGINS).map(parseOrigin))
  const faults: Fault[] = parsed.flatMap((one, index) =>
    'fault' in one ? [{ pointer: `/origins/${index}`, code: 'invalid_origin', detail: one.fault }] : [],
  )
  if (values.length === 0) {
    const detail = 'Add the address of at least one website.'
    faults.push({ pointer: '/origins', code: 'too_few', detail })
  }
  if (values.length > MAX_ORIGINS) {
    const detail = `Must be at most ${MAX_ORIGINS} websites.`
    faults.push({ pointer: '/origins', code: 'too_many', detail })
  }
  return { origins: [...new Set(parsed.flatMap((one) => ('origin' in one ? [one.origin] : [])))], faults }
}

/** Whether a page of an origin may use the widget. `*.` matches one or more names: it excludes the domain itself. */
export function isOriginAllowed(origins: string[], origin: string): boolean {
  const asked = origin.toLowerCase()
  return origins.some((allowed) => {
    if (!allowed.includes(WILDCARD)) return allowed === asked
    const [scheme = '', rest = ''] = allowed.split(WILDCARD)
    return (
      asked.startsWith(scheme) &&
      asked.endsWith(`.${rest}`) &&
      // The asterisk matches a name and nothing else: no port, no user.
      /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(asked.slice(scheme.length, -rest.length - 1))
    )
  })
}

async function parseOrigin(value: string): Promise<{ origin: string } | { fault: string }> {
  const given = value.trim()
  const shown = given.length > 60 ? `${given.slice(0, 60)}…` : given
  if (given === '' || given.length > MAX_ORIGIN_LENGTH) return { fault: EXAMPLE }
  if (given === '*') return { fault: `"*" would allow every website. ${EXAMPLE}` }
  const [, scheme, name, port] =
    /^(https?):\/\/([^/?#@:[\]\s]+|\[[0-9a-f:.]+\])(:\d{1,5})?\/?$/i.exec(given) ?? []
  if (scheme === undefined || name === undefined) return { fault: faultOf(given, shown) }
  const isWildcard = name.startsWith(WILDCARD)
  const host = isWildcard ? name.slice(WILDCARD.length) : name
  if (host.includes('*'))
    return { fault: `"${shown}" may have one asterisk, at the start of the name. ${EXAMPLE}` }
  const url = URL.parse(`${scheme}://${host}${port ?? ''}`)
  if (!url || !isHostName(url.hostname))
    return { fault: `"${shown}" isn't the address of a website. ${EXAMPLE}` }
  if (!isWildcard) return { origin: url.origin }
  if (await isPublicSuffix(url.hostname)) {
    return {
      fault: `"${shown}" would allow other people's websites. Add your own domain: https://*.example.com.`,
    }
  }
  return { origin: url.origin.replace('://', `://${WILDCARD}`) }
}

function faultOf(given: string, shown: string): string {
  const url = URL.parse(given)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url && isWeb && url.username === '' && url.password === '' && !given.includes('*')) {
    return `"${shown}" has more than a website's address. Use ${url.origin}.`
  }
  if (!given.includes('://')) return `"${shown}" needs https:// in front. ${EXAMPLE}`
  return `"${shown}" isn't the address of a website. ${EXAMPLE}`
}

function isHostName(hostname: string): boolean {
  if (isIP(hostname.replace(/^\[(.*)\]$/, '$1'))) return true
  return /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(
    domainToASCII(hostname),
  )
}

/** Names such as `com`, `co.uk` or `github.io`, below which anyone can have a website (publicsuffix.org). */
async function isPublicSuffix(hostname: string): Promise<boolean> {
  if (hostname === 'localhost') return false
  const { getDomain } = await import('tldts')
  return getDomain(hostname, { allowPrivateDomains: true }) === null
}
