import type { DeliveryError } from './delivery-errors.ts'

/** What Node calls the ways in which a certificate is not trusted, beside those with a word of their own. */
const UNTRUSTED =
  /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED|CERT_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|ERR_SSL_CERTIFICATE)/

const BY_CODE = new Map<string, DeliveryError>([
  ['CERT_HAS_EXPIRED', 'tls_expired'],
  ['CERT_NOT_YET_VALID', 'tls_expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_name'],
  ['HOSTNAME_MISMATCH', 'tls_name'],
  ['ECONNREFUSED', 'connect_refused'],
  ['EHOSTUNREACH', 'connect_refused'],
  ['ENETUNREACH', 'connect_refused'],
  ['EHOSTDOWN', 'connect_refused'],
  ['ENETDOWN', 'connect_refused'],
  ['EADDRNOTAVAIL', 'connect_refused'],
  ['EACCES', 'connect_refused'],
  ['EPERM', 'connect_refused'],
  ['ETIMEDOUT', 'connect_timeout'],
  ['EPROTO', 'bad_response'],
  // This machine has no socket left: not the receiver's fault.
  ['EMFILE', 'interrupted'],
  ['ENFILE', 'interrupted'],
])

/** A dial that ended before a connection was tried. */
export class DialError extends Error {
  override name = 'DialError'
  constructor(
    readonly reason: 'dns' | 'blocked_address',
    message: string,
  ) {
    super(message)
  }
}

/** The word for an error of a connection or of the answer's syntax. */
export function errorOfFailure(failure: Error): DeliveryError {
  if (failure instanceof DialError) return failure.reason
  const code = codeOf(failure)
  const known = BY_CODE.get(code)
  if (known) return known
  if (UNTRUSTED.test(code)) return 'tls_untrusted'
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL_')) return 'bad_response'
  return 'reset'
}

/** The word for a final status, or null when the delivery succeeded. */
export function errorOfStatus(status: number): DeliveryError | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'redirect'
  if (status >= 400 && status < 500) return 'http_4xx'
  if (status >= 500 && status < 600) return 'http_5xx'
  return 'bad_response'
}

function codeOf(failure: Error): string {
  if ('code' in failure && typeof failure.code === 'string') return failure.code
  // Several addresses were tried and each failed.
  const [first] = failure instanceof AggregateError ? failure.errors : []
  return first instanceof Error ? codeOf(first) : ''
}
