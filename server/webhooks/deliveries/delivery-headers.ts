import type { Deps } from '../../deps.ts'
import { VERSION } from '../../version.ts'
import type { Endpoint } from '../endpoints/queries.ts'
import type { ClaimedDelivery } from './claim.ts'
import { serviceSignature, standardSignature } from './signature.ts'

const MAX_CACHED_SECRETS = 4_096

/** Headers of one attempt: section 6 of the specification, and Standard Webhooks. */
export type HeadersOf = (
  endpoint: Endpoint,
  delivery: ClaimedDelivery,
  body: Uint8Array,
) => Record<string, string>

/** Decrypted secrets are cached, because decrypting one costs more than signing with it. */
export function createHeaders(deps: Deps): HeadersOf {
  const decrypt = cacheSecrets(deps)
  return (endpoint, delivery, body) => {
    const now = deps.clock.now()
    const seconds = Math.floor(now / 1_000)
    const secret = decrypt(endpoint.secret, endpoint.id)
    const secrets = [secret]
    if (endpoint.nextSecret) secrets.push(decrypt(endpoint.nextSecret, endpoint.id))
    if (endpoint.previousSecret && (endpoint.previousSecretUntil ?? 0) > now) {
      secrets.push(decrypt(endpoint.previousSecret, endpoint.id))
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

/** Keyed by the encrypted bytes. Their nonce is never reused, so a rotated secret is a new entry. */
function cacheSecrets(deps: Deps): (encrypted: Uint8Array, owner: string) => string {
  const cached = new Map<string, string>()
  return (encrypted, owner) => {
    const key = Buffer.from(encrypted).toString('latin1')
    let secret = cached.get(key)
    if (secret === undefined) {
      secret = deps.encryption.decrypt(encrypted, owner)
      if (cached.size >= MAX_CACHED_SECRETS) cached.clear()
      cached.set(key, secret)
    }
    return secret
  }
}
