import { describe, expect, test } from 'bun:test'
import { nextRetryAt, parseRetryAfter } from '../../server/webhooks/deliveries/retry-schedule.ts'

const SPECIFIED = [30_000, 300_000, 1_800_000]
const FAILED_AT = 1_767_323_045_678

const after = (retry: number, more: { jitter?: number; retryAfterMs?: number; schedule?: number[] } = {}) => {
  const at = nextRetryAt({ schedule: SPECIFIED, retry, failedAt: FAILED_AT, jitter: 0, ...more })
  return at === null ? null : at - FAILED_AT
}

describe('the time of the next attempt', () => {
  test('is 30 seconds, 5 minutes and 30 minutes after the end of the failed attempt; after that there is none', () => {
    expect([0, 1, 2, 3].map((retry) => after(retry))).toEqual([30_000, 300_000, 1_800_000, null])
  })

  test('is never early and at most two seconds late', () => {
    for (const jitter of [0, 0.001, 0.5, 0.999, 1]) {
      for (const [retry, delay] of SPECIFIED.entries()) {
        const at = after(retry, { jitter }) ?? 0
        expect(at).toBeGreaterThanOrEqual(delay)
        expect(at).toBeLessThanOrEqual(delay + 2_000)
        expect(Number.isInteger(at)).toBe(true)
      }
    }
    expect(after(1, { jitter: 1 })).toBe(302_000)
  })

  test('is later when the receiver asks for it, but at most twice the delay', () => {
    expect(after(0, { retryAfterMs: 45_000 })).toBe(45_000)
    expect(after(0, { retryAfterMs: 86_400_000 })).toBe(60_000)
    expect(after(0, { retryAfterMs: 1_000 })).toBe(30_000)
    expect(after(3, { retryAfterMs: 45_000 })).toBeNull()
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 0)
  test.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 37_000],
    ['Sun Nov  6 08:49:37 1994', 37_000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['9'.repeat(400), 86_400_000],
    ['', undefined],
    [undefined, undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['Sunday', undefined],
    ['2026-01-01T00:00:00Z', undefined],
  ])('%p means %p milliseconds', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected)
  })
})
