import type { OffReason } from '../../database/tables/webhooks.ts'
import { type DeliveryError, isConnectFailure } from '../deliveries/delivery-errors.ts'

/**
 * An endpoint that only failed for so long, and so many times, is switched off. By the time alone two failures would
 * do if this machine slept in between.
 */
const LONGEST_FAILING_MS = 120 * 3_600_000
const FEWEST_FAILURES = 20
const MOST_RECENT_OUTCOMES = 100
const GONE = 410

/** What is known of an endpoint from its attempts; columns of its row. */
export type Health = {
  isSteady: boolean
  connectFailures: number
  /** Start of the present run of failures. */
  failingSince: number | null
  /** The newest outcomes, oldest first: `s` or `f`. */
  recentOutcomes: string
  lastSuccessAt: number | null
  lastErrorAt: number | null
  lastError: string | null
  offAt: number | null
  offReason: OffReason | null
}

export interface FinishedAttempt {
  error: DeliveryError | null
  status: number | null
  endedAt: number
  /** No retry follows. */
  isFinal: boolean
}

/** The health after one more attempt; tests and attempts cut off on this side say nothing about an endpoint. */
export function healthAfter(before: Health, attempt: FinishedAttempt): Health {
  if (attempt.error === null) {
    return {
      ...before,
      isSteady: true,
      connectFailures: 0,
      failingSince: null,
      recentOutcomes: recent(before, 's'),
      lastSuccessAt: attempt.endedAt,
    }
  }
  const failing: Health = {
    ...before,
    isSteady: false,
    connectFailures: isConnectFailure(attempt.error) ? before.connectFailures + 1 : 0,
    failingSince: before.failingSince ?? attempt.endedAt,
    recentOutcomes: recent(before, 'f'),
    lastErrorAt: attempt.endedAt,
    lastError: attempt.error,
  }
  const offReason = failing.offAt === null ? reasonToSwitchOff(failing, attempt) : null
  return offReason ? { ...failing, offReason, offAt: attempt.endedAt } : failing
}

/** Of an endpoint's row nothing but its health. */
export function healthOf(row: Health): Health {
  return {
    isSteady: row.isSteady,
    connectFailures: row.connectFailures,
    failingSince: row.failingSince,
    recentOutcomes: row.recentOutcomes,
    lastSuccessAt: row.lastSuccessAt,
    lastErrorAt: row.lastErrorAt,
    lastError: row.lastError,
    offAt: row.offAt,
    offReason: row.offReason,
  }
}

/** Share of successes among the newest attempts, from 0 to 1; null before the first. */
export function successRate(recentOutcomes: string): number | null {
  if (recentOutcomes === '') return null
  return recentOutcomes.replaceAll('f', '').length / recentOutcomes.length
}

function reasonToSwitchOff(health: Health, attempt: FinishedAttempt): OffReason | null {
  if (attempt.isFinal && attempt.status === GONE) return 'gone'
  const since = health.failingSince ?? attempt.endedAt
  const isLong = attempt.endedAt - since >= LONGEST_FAILING_MS
  return isLong && health.recentOutcomes.endsWith('f'.repeat(FEWEST_FAILURES)) ? 'failing' : null
}

function recent(before: Health, outcome: 's' | 'f'): string {
  return (before.recentOutcomes + outcome).slice(-MOST_RECENT_OUTCOMES)
}
