import type { Deps } from '../../deps.ts'
import type { HeadersOf } from './delivery-headers.ts'
import { type AttemptResult, interruptedResult } from './record-result.ts'
import type { Sender } from './send.ts'
import type { DeliveryInFlight } from './slots.ts'

/** Makes one attempt. Never rejects: a failure is part of the result. */
export async function sendDelivery(
  deps: Deps,
  sender: Sender,
  headersOf: HeadersOf,
  { endpoint, delivery }: DeliveryInFlight,
): Promise<AttemptResult> {
  const { body } = delivery
  if (!body) return interruptedResult(deps.clock.now(), 'The body of this event is no longer stored.')
  let requestHeaders: Record<string, string>
  try {
    requestHeaders = headersOf(endpoint, delivery, body)
  } catch (error) {
    deps.log.error('delivery_not_signed', { delivery: delivery.id, endpoint: endpoint.id, error })
    return interruptedResult(
      deps.clock.now(),
      "The endpoint's secret can't be decrypted. Check whether BELLHOP_SECRET was changed.",
    )
  }
  const result = await sender.send({ url: endpoint.url, headers: requestHeaders, body })
  return { ...result, requestHeaders, endedAt: deps.clock.now() }
}
