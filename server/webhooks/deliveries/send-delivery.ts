import type { Deps } from '../../deps.ts'
import { positionAt } from '../../events/positions.ts'
import { VERSION } from '../../version.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { DeliveryJob } from './process-endpoint.ts'
import { type AttemptResult, interruptedResult } from './record-result.ts'
import type { Sender } from './send.ts'
import type { Signing } from './signature.ts'

const MAX_CACHED_SECRETS = 4_096

/** Makes one attempt (see `Sender.send`). Never rejects: a failure is part of the result. */
export async function sendDelivery(
  deps: Deps,
  sender: Sender,
  headersOf: HeadersOf,
  { endpoint, delivery }: DeliveryJob,
  atOnce: number,
): Promise<AttemptResult | 'unsent'> {
  const { body } = delivery
  if (!body) return interruptedResult(deps.clock.now(), 'The body of this event is no longer stored.')
  let headers: SignedHeaders
  try {
    headers = headersOf(endpoint, delivery)
  } catch (error) {
    deps.log.error('delivery_not_signed', { delivery: delivery.id, endpoint: endpoint.id, error })
    return interruptedResult(
      deps.clock.now(),
      "The endpoint's secret can't be decrypted. Check whether BELLHOP_SECRET was changed.",
    )
  }
  return sender.send({ endpointId: endpoint.id, url: endpoint.url, ...headers, body }, atOnce)
}

/** Headers of one attempt: section 6 of the specification, and Standard Webhooks. The time and signatures are added when it is sent. */
interface SignedHeaders {
  headers: Record<string, string>
  signing: Signing
}

type HeadersOf = (endpoint: Endpoint, delivery: ClaimedDelivery) => SignedHeaders

/** Decrypted secrets are cached, because decrypting one costs more than signing with it. */
export function createHeaders(deps: Deps): HeadersOf {
  const decrypt = cacheSecrets(deps)
  return (endpoint, delivery) => {
    const now = deps.clock.now()
    const secrets = [decrypt(endpoint.secret, endpoint.id)]
    if (endpoint.nextSecret) secrets.push(decrypt(endpoint.nextSecret, endpoint.id))
    if (endpoint.previousSecret && (endpoint.previousSecretUntil ?? 0) > now) {
      secrets.push(decrypt(endpoint.previousSecret, endpoint.id))
    }
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': `Bellhop/${VERSION}`,
      'X-Service-Event': delivery.eventType,
      'X-Service-Delivery': delivery.id,
      'X-Service-Attempt': String(delivery.attempt),
      'webhook-id': delivery.id,
      ...(delivery.kind === 'test'
        ? { 'X-Service-Test': 'true' }
        : { 'X-Service-Event-Position': positionAt(delivery.logId, delivery.eventNumber) }),
    }
    return { headers, signing: { secrets, id: delivery.id } }
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
