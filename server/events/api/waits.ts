import { events } from '../../database/tables/events.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { createThrottle } from '../../live/throttle.ts'
import { newestEvent, newestEvents } from '../events.ts'

/** Waiting requests, and open streams. */
const MAX_WAITS_PER_KEY = 20
const MAX_STREAMS_PER_KEY = 5
const MAX_ALL = 1_000
/** Events committed during a pause wake readers together. */
const PAUSE_MS = 10

interface Waiting {
  after: number
  wake(): void
}

/** Readers of the log that wait for its next event. */
export interface EventWaits {
  /** Counts a request that waits, or a stream, until it is disposed. Throws 429 when the key, or all, have too many. */
  admit(keyId: string, kind: 'wait' | 'stream'): Disposable
  /**
   * Settles when the newest event of the organization has another number: there are more events, or some were lost in a
   * failover. Also after some milliseconds, and when the server stops.
   */
  until(orgId: string, wanted: { after: number; ms: number; signal: AbortSignal }): Promise<void>
  isStopped(): boolean
  /** Wakes everyone. */
  stop(): Promise<void>
}

export function createEventWaits(deps: Deps): EventWaits {
  const byOrganization = new Map<string, Set<Waiting>>()
  const counts = new Map<string, number>()
  let all = 0
  let isStopped = false
  const throttle = createThrottle(deps, 'events', () => PAUSE_MS, wakeReaders)
  const stopListening = deps.pulse.listen(throttle.wake, [events])

  /** One query, however many wait. */
  async function wakeReaders(): Promise<void> {
    if (byOrganization.size === 0) return
    const newest = await newestEvents(deps.database.read, byOrganization.keys())
    for (const [orgId, waiting] of byOrganization) {
      for (const one of waiting) if ((newest.get(orgId) ?? one.after) !== one.after) one.wake()
    }
  }

  return {
    admit(keyId, kind) {
      const key = `${kind} ${keyId}`
      const own = counts.get(key) ?? 0
      const most = kind === 'wait' ? MAX_WAITS_PER_KEY : MAX_STREAMS_PER_KEY
      if (own >= most || all >= MAX_ALL) throw tooMany(kind, own >= most ? most : MAX_ALL)
      counts.set(key, own + 1)
      all++
      return {
        [Symbol.dispose]() {
          all--
          const left = (counts.get(key) ?? 1) - 1
          if (left === 0) counts.delete(key)
          else counts.set(key, left)
        },
      }
    },
    async until(orgId, { after, ms, signal }) {
      if (isStopped || signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const waiting: Waiting = { after, wake: resolve }
      const ofOrganization = byOrganization.get(orgId) ?? new Set()
      byOrganization.set(orgId, ofOrganization.add(waiting))
      const cancelTimer = deps.clock.after(ms, resolve)
      signal.addEventListener('abort', waiting.wake)
      // Something may have been committed between the last read and now.
      if ((await newestEvent(deps.database.read, orgId)) !== after) resolve()
      await promise
      cancelTimer()
      signal.removeEventListener('abort', waiting.wake)
      ofOrganization.delete(waiting)
      if (ofOrganization.size === 0 && byOrganization.get(orgId) === ofOrganization)
        byOrganization.delete(orgId)
    },
    isStopped: () => isStopped,
    async stop() {
      isStopped = true
      stopListening()
      for (const waiting of byOrganization.values()) for (const one of waiting) one.wake()
      await throttle.stop()
    },
  }
}

function tooMany(kind: 'wait' | 'stream', most: number): AppError {
  const headers = { 'retry-after': '1' }
  if (kind === 'stream') {
    const detail = `There can be at most ${most} streams at once. Close one first.`
    return new AppError(429, 'too_many_streams', detail, { headers })
  }
  const detail = `At most ${most} requests can wait for events at once. End one first.`
  return new AppError(429, 'too_many_waits', detail, { headers })
}
