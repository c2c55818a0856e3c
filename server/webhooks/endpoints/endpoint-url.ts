import type { AddressPolicy } from '../../network/address-policy.ts'

const MAX_URL_LENGTH = 2_048

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

/** Why this URL cannot be an endpoint, or null. Does not resolve names: every connection does that. */
export function refusalOfUrl(policy: AddressPolicy, text: string): UrlRefusal | null {
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
  return policy.refusalOfHost(url.hostname)
}

function hasSpaceOrControl(text: string): boolean {
  // The URL parser drops these silently, but the URL must be used exactly as registered.
  for (const character of text) if (character <= ' ' || character === '\u007f') return true
  return false
}
