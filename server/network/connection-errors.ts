/** Why there is no connection. Each protocol has its own sentences for these. */
export const CONNECTION_ERRORS = [
  'dns',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_expired',
  'tls_untrusted',
  'tls_name',
] as const

export type ConnectionErrorCode = (typeof CONNECTION_ERRORS)[number]

/** There is no connection: the name has no address or none that is allowed, or the time ran out. */
export class ConnectionError extends Error {
  override name = 'ConnectionError'
  constructor(
    readonly reason: 'dns' | 'blocked_address' | 'connect_timeout',
    message: string,
  ) {
    super(message)
  }
}

/** Node's codes for certificates that are not trusted, except those in `BY_CODE`. */
const UNTRUSTED =
  /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED|CERT_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|ERR_SSL_CERTIFICATE)/

const BY_CODE = new Map<string, ConnectionErrorCode>([
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
])

/** The code for a connection that could not be opened, or undefined when it failed later or otherwise. */
export function connectionErrorOf(failure: Error): ConnectionErrorCode | undefined {
  if (failure instanceof ConnectionError) return failure.reason
  const code = codeOf(failure)
  return BY_CODE.get(code) ?? (UNTRUSTED.test(code) ? 'tls_untrusted' : undefined)
}

/** Node's code of an error, `ECONNRESET` for instance, or an empty text. */
export function codeOf(failure: Error): string {
  if ('code' in failure && typeof failure.code === 'string') return failure.code
  // Several addresses were tried and all failed.
  const [first] = failure instanceof AggregateError ? failure.errors : []
  return first instanceof Error ? codeOf(first) : ''
}
