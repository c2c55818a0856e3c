import { CONNECTION_ERRORS, codeOf, connectionErrorOf } from '../../network/connection-errors.ts'

/** Why an attempt failed: stored with the attempt, shown in the delivery log. */
export const DELIVERY_ERRORS = [
  ...CONNECTION_ERRORS,
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
  dns: "The endpoint's host name couldn't be resolved.",
  blocked_address:
    "The endpoint's address is not public, so nothing was sent. BELLHOP_WEBHOOK_ALLOW allows private ones.",
  connect_refused: "Bellhop couldn't connect to the endpoint.",
  connect_timeout: 'Connecting to the endpoint timed out.',
  tls_expired: "The endpoint's certificate has expired or is not valid yet.",
  tls_untrusted: "The endpoint's certificate is not from an authority that this server trusts.",
  tls_name: "The endpoint's certificate is for another host name.",
  timeout: 'The endpoint did not respond in time.',
  reset: 'The connection closed before the endpoint responded.',
  bad_response: "The endpoint's response was not valid HTTP.",
  redirect: 'The endpoint responded with a redirect. Redirects are not followed.',
  http_4xx: 'The endpoint rejected the delivery with a 4xx status.',
  http_5xx: 'The endpoint failed with a 5xx status.',
  interrupted: 'Bellhop stopped the attempt before the endpoint responded, for example during a restart.',
}

/** A stored error as its code and a sentence; null for a success. */
export function viewDeliveryError(stored: string | null): { code: DeliveryError; sentence: string } | null {
  const code = DELIVERY_ERRORS.find((one) => one === stored)
  return code ? { code, sentence: DELIVERY_ERROR_SENTENCES[code] } : null
}

const CONNECT_FAILURES: ReadonlySet<string> = new Set<DeliveryError>([
  ...CONNECTION_ERRORS,
  // It did connect, but costs as much, because it holds a socket until the timeout.
  'timeout',
])

/** Whether the endpoint could not be reached. Then it gets one socket at a time. */
export function isConnectFailure(error: string): boolean {
  return CONNECT_FAILURES.has(error)
}

const BY_CODE = new Map<string, DeliveryError>([
  ['EPROTO', 'bad_response'],
  // This machine has no socket left, which is not the endpoint's fault.
  ['EMFILE', 'interrupted'],
  ['ENFILE', 'interrupted'],
])

/** The code for a connection that failed or a response that could not be parsed. */
export function errorOfFailure(failure: Error): DeliveryError {
  const connection = connectionErrorOf(failure)
  if (connection) return connection
  const code = codeOf(failure)
  if (code.startsWith('HPE_') || code.startsWith('ERR_SSL_')) return 'bad_response'
  return BY_CODE.get(code) ?? 'reset'
}

/** The code for a response status, or null when the delivery succeeded. */
export function errorOfStatus(status: number): DeliveryError | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'redirect'
  if (status >= 400 && status < 500) return 'http_4xx'
  if (status >= 500 && status < 600) return 'http_5xx'
  return 'bad_response'
}
