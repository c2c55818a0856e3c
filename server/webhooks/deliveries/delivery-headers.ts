import type { Deps } from '../../deps.ts'
import { VERSION } from '../../version.ts'
import type { Endpoint } from '../endpoints/queries.ts'
import type { ClaimedDelivery } from './claim.ts'
import { serviceSignature, standardSignature } from './signature.ts'

const MOST_KEPT_SECRETS = 4_096

/** Headers of one attempt: section 6 of the specification, Standard Webhooks beside it. */
export type HeadersOf = (
  endpoint: Endpoint,
  delivery: ClaimedDelivery,
  body: Uint8Array,
) => Record<string, string>

/** Opened secrets are kept in memory, for opening one costs more than signing with it. */
export function createHeaders(deps: Deps): HeadersOf {
  const open = keepOpened(deps)
  return (endpoint, delivery, body) => {
    const now = deps.clock.now()
    const seconds = Math.floor(now / 1_000)
    const secret = open(endpoint.secret, endpoint.id)
    const secrets = [secret]
    if (endpoint.nextSecret) secrets.push(open(endpoint.nextSecret, endpoint.id))
    if (endpoint.previousSecret && (endpoint.previousSecretUntil ?? 0) > now) {
      secrets.push(open(endpoint.previousSecret, endpoint.id))
    }
    return {
      'Content-Type': 'application/json',
      'User-Agent': `Bellhop/${VERSION}`,
      'X-Service-Signature': serviceSignature(secret, body),
      'X-Service-Event': delivery.eventType,
      'X-Service-Delivery': delivery.id,
      'X-Service-Attempt': String(delivery.attempt),
      'webhook-id': delivery.id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': standardSignature(secrets, delivery.id, seconds, body),
      ...(delivery.kind === 'test' ? { 'X-Service-Test': 'true' } : {}),
    }
  }
}

/** By the encrypted bytes, whose nonce is never used twice: a rotated secret is another entry. */
function keepOpened(deps: Deps): (encrypted: Uint8Array, owner: string) => string {
  const opened = new Map<string, string>()
  return (encrypted, owner) => {
    const key = Buffer.from(encrypted).toString('latin1')
    let secret = opened.get(key)
    if (secret === undefined) {
      secret = deps.encryption.decrypt(encrypted, owner)
      if (opened.size >= MOST_KEPT_SECRETS) opened.clear()
      opened.set(key, secret)
    }
    return secret
  }
}
