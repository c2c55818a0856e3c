import { isoTime, isoTimeOrNull } from '../../dates.ts'
import { viewDeliveryError } from '../deliveries/delivery-errors.ts'
import { successRate } from './endpoint-health.ts'
import type { Endpoint } from './endpoints.ts'

/** An endpoint with its health, without its secrets. Times are ISO 8601 or null. */
export function viewEndpoint(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    /** Filters. Empty: all. */
    channels: endpoint.filters?.channels ?? [],
    tags: endpoint.filters?.tags ?? [],
    changes: endpoint.filters?.changes ?? [],
    isOn: endpoint.offAt === null,
    /** `manual`, `failing` (120 hours of failures only, 20 or more) or `gone` (a final 410); null while it is on. */
    offReason: endpoint.offReason,
    offAt: isoTimeOrNull(endpoint.offAt),
    hasStagedSecret: endpoint.nextSecret !== null,
    /** Until then the previous secret signs too. */
    previousSecretUntil: isoTimeOrNull(endpoint.previousSecretUntil),
    health: {
      /** From 0 to 1, of the newest 100 attempts; null before the first. */
      successRate: successRate(endpoint.recentOutcomes),
      recentAttempts: endpoint.recentOutcomes.length,
      failingSince: isoTimeOrNull(endpoint.failingSince),
      lastSuccessAt: isoTimeOrNull(endpoint.lastSuccessAt),
      lastErrorAt: isoTimeOrNull(endpoint.lastErrorAt),
      lastError: viewDeliveryError(endpoint.lastError),
    },
    createdAt: isoTime(endpoint.createdAt),
    updatedAt: isoTime(endpoint.updatedAt),
  }
}
