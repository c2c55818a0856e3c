import type { DeliveryState } from '../../database/tables/webhooks.ts'
import { isoTime, isoTimeOrNull } from '../../dates.ts'
import { viewDeliveryError } from './delivery-errors.ts'
import type { Attempt, DeliveryDetail, DeliveryRow } from './delivery-log.ts'
import type { ResendJob } from './resend.ts'

/** A line of the delivery log. */
export function viewDelivery(delivery: DeliveryRow) {
  const state = displayedState(delivery)
  return {
    id: delivery.id,
    endpointId: delivery.endpointId,
    url: delivery.endpoint.url,
    event: delivery.eventType,
    isTest: isTest(delivery),
    /** Events of customers have none. */
    ticketId: delivery.ticketId || null,
    state,
    attempts: delivery.attempt,
    lastStatus: delivery.lastStatus,
    lastError: viewDeliveryError(delivery.lastError),
    nextAttemptAt: state === 'pending' ? isoTime(Math.max(delivery.dueAt, delivery.createdAt)) : null,
    createdAt: isoTime(delivery.createdAt),
    finishedAt: isoTimeOrNull(delivery.finishedAt),
  }
}

/** A delivery with its body as text and every attempt. */
export function viewDeliveryDetail(delivery: DeliveryDetail) {
  return {
    ...viewDelivery(delivery),
    body: text(delivery.body),
    attempts: delivery.attempts.length,
    history: delivery.attempts.map(viewAttempt),
  }
}

function viewAttempt(attempt: Attempt) {
  return {
    number: attempt.number,
    kind: attempt.kind,
    url: attempt.url,
    startedAt: isoTime(attempt.startedAt),
    durationMs: attempt.durationMs,
    /** Null while it is in progress. */
    succeeded: attempt.outcome === null ? null : attempt.outcome === 'succeeded',
    status: attempt.status,
    error: viewDeliveryError(attempt.outcome),
    detail: attempt.detail,
    requestHeaders: attempt.requestHeaders,
    responseHeaders: attempt.responseHeaders,
    responseBody: text(attempt.responseBody),
    isResponseBodyCut: attempt.isBodyCut,
  }
}

export function viewResendJob(job: ResendJob) {
  return {
    id: job.id,
    endpointId: job.endpointId,
    since: isoTime(job.since),
    until: isoTime(job.until),
    resent: job.resent,
    createdAt: isoTime(job.createdAt),
    finishedAt: isoTimeOrNull(job.finishedAt),
  }
}

/** A pending delivery is held while its endpoint is off, and canceled when that is deleted. A test is never held. */
export function displayedState(
  delivery: Pick<DeliveryRow, 'state' | 'eventNumber' | 'endpoint'>,
): DeliveryState {
  const { state, endpoint } = delivery
  if (state !== 'pending') return state
  if (endpoint.deletedAt !== null) return 'cancelled'
  return endpoint.offAt === null || isTest(delivery) ? 'pending' : 'held'
}

/** A test delivery has no event. */
function isTest({ eventNumber }: Pick<DeliveryRow, 'eventNumber'>): boolean {
  return eventNumber === 0
}

function text(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString('utf8')
}
