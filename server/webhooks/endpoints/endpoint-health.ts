import type { OffReason } from '../../database/tables/webhooks.ts'
import { type DeliveryError, isConnectFailure } from '../deliveries/delivery-errors.ts'
import type { Endpoint } from './endpoints.ts'

/**
 * An endpoint is switched off after this long with failures only, and at least this many of them: by time alone, two
 * failures would be enough if this machine slept in between.
 */
const MAX_FAILING_MS = 120 * 3_600_000
const MIN_FAILURES = 20
const MAX_RECENT_OUTCOMES = 100
const GONE = 410

/** The columns of an endpoint that its attempts change. */
export type Health = Pick<
  Endpoint,
  | 'isHealthy'
  | 'connectFailures'
  | 'failingSince'
  | 'recentOutcomes'
  | 'lastSuccessAt'
  | 'lastErrorAt'
  | 'lastError'
  | 'offAt'
  | 'offReason'
>

export interface FinishedAttempt {
  error: DeliveryError | null
  status: number | null
  endedAt: number
  /** No retry follows. */
  isFinal: boolean
}

/** The endpoint with its health after one more attempt. Test deliveries and interrupted attempts do not count. */
export function healthAfter<E extends Health>(before: E, attempt: FinishedAttempt): E {
  if (attempt.error === null) {
    return {
      ...before,
      isHealthy: true,
      connectFailures: 0,
      failingSince: null,
      recentOutcomes: recent(before, 's'),
      lastSuccessAt: attempt.endedAt,
    }
  }
  const failing: E = {
    ...before,
    isHealthy: false,
    connectFailures: isConnectFailure(attempt.error) ? before.connectFailures + 1 : 0,
    failingSince: before.failingSince ?? attempt.endedAt,
    recentOutcomes: recent(before, 'f'),
    lastErrorAt: attempt.endedAt,
    lastError: attempt.error,
  }
  const offReason = failing.offAt === null ? reasonToSwitchOff(failing, attempt) : null
  return offReason ? { ...failing, offReason, offAt: attempt.endedAt } : failing
}

/** What an endpoint's newest attempt says about its next one. Unknown when it is new or was enabled again. */
type Responsiveness = 'responsive' | 'unknown' | 'unresponsive'

export function responsivenessOf(
  endpoint: Pick<Health, 'isHealthy' | 'connectFailures' | 'lastError'>,
): Responsiveness {
  const { isHealthy, connectFailures, lastError } = endpoint
  if (connectFailures > 0) return 'unresponsive'
  const hasResponded = isHealthy || (lastError !== null && !isConnectFailure(lastError))
  return hasResponded ? 'responsive' : 'unknown'
}

/** Share of successes among the newest attempts, from 0 to 1; null before the first. */
export function successRate(recentOutcomes: string): number | null {
  if (recentOutcomes === '') return null
  return recentOutcomes.replaceAll('f', '').length / recentOutcomes.length
}

function reasonToSwitchOff(health: Health, attempt: FinishedAttempt): OffReason | null {
  if (attempt.isFinal && attempt.status === GONE) return 'gone'
  const since = health.failingSince ?? attempt.endedAt
  const isLong = attempt.endedAt - since >= MAX_FAILING_MS
  return isLong && health.recentOutcomes.endsWith('f'.repeat(MIN_FAILURES)) ? 'failing' : null
}

function recent(before: Health, outcome: 's' | 'f'): string {
  return (before.recentOutcomes + outcome).slice(-MAX_RECENT_OUTCOMES)
}
