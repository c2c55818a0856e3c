import type { MailHeaders } from './mail-headers.ts'
import type { Authentication, AuthenticationResult } from './parsed-mail.ts'

const MAX_HEADER_LENGTH = 16_384
const METHODS = ['spf', 'dkim', 'dmarc'] as const
const DOMAIN_OF = {
  spf: /^smtp\.mailfrom=(?:.*@)?([^@]+)$/i,
  dkim: /^header\.[di]=(?:.*@)?([^@]+)$/i,
}
const FAILURES = new Set(['fail', 'softfail', 'hardfail', 'permerror', 'policy'])

/**
 * What the mailbox's server found out about the sender (RFC 8601). Only headers with the server's own name count,
 * because senders can write any other. Of several, the topmost counts: it was added last. Null if the server added
 * none.
 */
export function authenticationBy(authservId: string, headers: MailHeaders): Authentication | null {
  const own = headers
    .all('authentication-results')
    .filter((header) => authservIdOf(header) === authservId.toLowerCase())
    .map((header) => bare(header.slice(0, MAX_HEADER_LENGTH)).split(';'))
  if (own.length === 0) return null
  const [spf, dkim, dmarc] = METHODS.map((method) => resultOf(method, own))
  const domains = [...passedDomains('spf', own), ...passedDomains('dkim', own)]
  return { spf: spf ?? 'none', dkim: dkim ?? 'none', dmarc: dmarc ?? 'none', domains }
}

/**
 * The same for a server whose name no one knows: that of the mailbox's host or domain is believed when it says that a check
 * failed, and proves no sender. Where the server removes no forged headers, a sender could write that all passed.
 */
export function failuresBy(hosts: string[], headers: MailHeaders): Authentication | null {
  for (const host of hosts) {
    const said = authenticationBy(host, headers)
    if (!said || ![said.spf, said.dkim, said.dmarc].includes('fail')) continue
    return { ...said, dmarc: said.dmarc === 'pass' ? 'none' : said.dmarc, domains: [] }
  }
  return null
}

/** The name that the last server on the way gave itself; undefined without such a header. */
export function newestAuthservId(headers: MailHeaders): string | undefined {
  const [newest] = headers.all('authentication-results')
  return newest === undefined ? undefined : authservIdOf(newest)
}

/** RFC 8601, section 2.2: it can be quoted, and a version can follow. */
function authservIdOf(header: string): string {
  const [id = ''] = withoutComments(header.slice(0, MAX_HEADER_LENGTH)).split(';')
  return (id.trim().split(/\s/)[0] ?? '').replaceAll('"', '').toLowerCase()
}

/** One passed signature is enough: mails are signed by several parties. */
function resultOf(method: string, headers: string[][]): AuthenticationResult {
  const said = resultPattern(method)
  for (const [, ...results] of headers) {
    const words = results
      .map((result) => said.exec(result)?.[1]?.toLowerCase())
      .filter((word) => word !== undefined)
    if (words.includes('pass')) return 'pass'
    if (words.some((word) => FAILURES.has(word))) return 'fail'
    if (words.length > 0) return 'none'
  }
  return 'none'
}

/** The domains for which a check passed: the sender's of the envelope, or the signers'. */
function passedDomains(method: keyof typeof DOMAIN_OF, headers: string[][]): string[] {
  const said = resultPattern(method)
  const results = headers.map(([, ...each]) => each.filter((result) => said.test(result)))
  const topmost = results.find((each) => each.length > 0) ?? []
  return topmost
    .filter((result) => said.exec(result)?.[1]?.toLowerCase() === 'pass')
    .flatMap((result) => result.split(/\s+/))
    .flatMap((word) => DOMAIN_OF[method].exec(word)?.[1]?.toLowerCase() ?? [])
}

function resultPattern(method: string): RegExp {
  return new RegExp(`^\\s*${method}(?:/\\d+)?\\s*=\\s*(\\w+)`, 'i')
}

/** Without comments, and without what senders could write into quotes to look like another result. */
function bare(value: string): string {
  return withoutComments(value).replace(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) =>
    quoted.replaceAll(/[^\w.@-]/g, ''),
  )
}

function withoutComments(value: string): string {
  let text = ''
  let depth = 0
  for (const character of value) {
    if (character === '(') depth++
    if (depth === 0) text += character
    if (character === ')' && depth > 0) depth--
  }
  return text
}
