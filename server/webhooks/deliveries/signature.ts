import { createHmac } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** What signs a body. Each secret signs in the Standard Webhooks header, and the first one in the specified header. */
export interface Signing {
  secrets: string[]
  /** Id of the delivery. */
  id: string
}

/** The headers that depend on the time at which the body is sent, in milliseconds since 1970, and on the body. */
export function signatureHeaders({ secrets, id }: Signing, sentAt: number, body: Uint8Array) {
  const [current = ''] = secrets
  const timestampSeconds = Math.floor(sentAt / 1_000)
  return {
    'webhook-timestamp': String(timestampSeconds),
    'X-Service-Signature': serviceSignature(current, body),
    'webhook-signature': standardSignature(secrets, id, timestampSeconds, body),
  }
}

/**
 * `X-Service-Signature` (section 5 of the specification): `sha256=` and the lowercase hex HMAC-SHA256 of the raw
 * body. The key is the secret exactly as it is displayed, including `whsec_`, as UTF-8 bytes.
 */
export function serviceSignature(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/**
 * `webhook-signature` (Standard Webhooks 1.0.0): one `v1,<base64>` for each secret, separated by spaces, over
 * `id.timestamp.body`. The key is the decoded base64 after `whsec_`. `timestampSeconds` is the value of
 * `webhook-timestamp`, whole seconds since 1970.
 */
export function standardSignature(
  secrets: string[],
  id: string,
  timestampSeconds: number,
  body: Uint8Array,
): string {
  const start = `${id}.${timestampSeconds}.`
  return secrets
    .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(start).update(body).digest('base64')}`)
    .join(' ')
}

/** A new secret in its displayed form: `whsec_` and the base64 of 32 random bytes. */
export function createSigningSecret(randomBytes: (size: number) => Uint8Array): string {
  return `${SECRET_PREFIX}${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`
}

function keyOf(secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret
  return Buffer.from(encoded, 'base64')
}
