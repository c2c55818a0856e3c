import type { Deps } from '../../deps.ts'
import type { HeadersOf } from './delivery-headers.ts'
import type { AttemptResult } from './record-result.ts'
import type { Sender } from './send.ts'
import type { Flight } from './slots.ts'

/** Carries out one attempt. Resolves however it ended; never rejects. */
export async function sendFlight(
  deps: Deps,
  sender: Sender,
  headersOf: HeadersOf,
  { endpoint, delivery }: Flight,
): Promise<AttemptResult> {
  const { body } = delivery
  if (!body) return notSent(deps, 'The body of this event is no longer kept.')
  let requestHeaders: Record<string, string>
  try {
    requestHeaders = headersOf(endpoint, delivery, body)
  } catch (error) {
    deps.log.error('delivery_not_signed', { delivery: delivery.id, endpoint: endpoint.id, error })
    return notSent(deps, "The endpoint's secret could not be opened: was BELLHOP_SECRET changed?")
  }
  const result = await sender.send({ url: endpoint.url, headers: requestHeaders, body })
  return { ...result, requestHeaders, endedAt: deps.clock.now() }
}

function notSent(deps: Deps, detail: string): AttemptResult {
  return {
    outcome: 'interrupted',
    status: null,
    endedAt: deps.clock.now(),
    durationMs: null,
    detail,
    requestHeaders: null,
    responseHeaders: null,
    responseBody: null,
    isBodyCut: false,
  }
}
