/** Why an attempt failed; stored with the attempt and shown in the delivery log. */
export const DELIVERY_ERRORS = [
  'dns',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_expired',
  'tls_untrusted',
  'tls_name',
  'timeout',
  'reset',
  'bad_response',
  'redirect',
  'http_4xx',
  'http_5xx',
  'interrupted',
] as const

export type DeliveryError = (typeof DELIVERY_ERRORS)[number]

/** One sentence for the delivery log. */
export const DELIVERY_ERROR_SENTENCES: Record<DeliveryError, string> = {
  dns: "The name in the endpoint's URL could not be resolved to an address.",
  blocked_address: "The endpoint's URL leads to an address that is not public, so nothing was sent.",
  connect_refused: "Nothing accepted a connection at the endpoint's address and port.",
  connect_timeout: 'The connection to the endpoint was not made in time.',
  tls_expired: "The endpoint's certificate has expired or is not valid yet.",
  tls_untrusted: "The endpoint's certificate was not issued by an authority that this server trusts.",
  tls_name: "The endpoint's certificate belongs to another name.",
  timeout: 'The endpoint did not answer in time.',
  reset: 'The connection was closed before an answer came.',
  bad_response: 'The endpoint did not answer with valid HTTP over TLS.',
  redirect: 'The endpoint answered with a redirect, and redirects are not followed.',
  http_4xx: 'The endpoint refused the delivery with a status from 400 to 499.',
  http_5xx: 'The endpoint failed with a status from 500 to 599.',
  interrupted: 'The attempt was cut off on this side before an answer came, for example by a shutdown.',
}

const CONNECT_FAILURES: ReadonlySet<DeliveryError> = new Set<DeliveryError>([
  'dns',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_expired',
  'tls_untrusted',
  'tls_name',
  // Connected, yet as costly as never connecting: it held a socket to the end.
  'timeout',
])

/** Whether the endpoint could not be reached: three of these in a row and it is given one socket only. */
export function isConnectFailure(error: DeliveryError): boolean {
  return CONNECT_FAILURES.has(error)
}
