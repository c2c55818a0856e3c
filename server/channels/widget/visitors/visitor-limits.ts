import type { Transaction } from '../../../database/database.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { networkOf } from '../../../requests/address.ts'
import { createLimits, type Limit } from '../../../requests/rolling-window.ts'
import { lockWindow, saveWindow } from '../../../requests/stored-windows.ts'

/** Messages in 60 seconds. */
const MESSAGES_PER_VISITOR = 20
const MESSAGES_PER_VISITOR_AND_HOUR = 200
const MESSAGES_PER_ADDRESS = 60
const MESSAGES_PER_KEY = 6_000
/** New sessions in 60 seconds. */
const SESSIONS_PER_ADDRESS = 30
const SESSIONS_PER_KEY = 600
/** Other requests in 60 seconds. */
const REQUESTS_PER_VISITOR = 240
const REQUESTS_PER_ADDRESS = 6_000

interface Sender {
  visitorId: string
  address: string
  /** The widget, whose key is public. */
  widgetId: string
}

/** Limits of what visitors can cause, in memory. Each throws 429. */
interface VisitorLimits {
  message(from: Sender): void
  session(from: Omit<Sender, 'visitorId'>): void
  request(from: Pick<Sender, 'address'> & { visitorId: string | undefined }): void
}

/** Addresses count by network, because one customer may have many IPv6 addresses. */
export function createVisitorLimits(deps: Deps): VisitorLimits {
  const limits = createLimits(deps.clock.monotonic)

  function take(what: string, counted: Limit[]): void {
    const wait = limits.take(counted.map((limit) => ({ ...limit, key: `${what} ${limit.key}` })))
    if (wait !== undefined) throw tooMany(what, wait)
  }

  return {
    message({ visitorId, address, widgetId }) {
      take('messages', [
        { key: visitorId, most: MESSAGES_PER_VISITOR, in: 'minute' },
        { key: visitorId, most: MESSAGES_PER_VISITOR_AND_HOUR, in: 'hour' },
        { key: networkOf(address), most: MESSAGES_PER_ADDRESS, in: 'minute' },
        { key: widgetId, most: MESSAGES_PER_KEY, in: 'minute' },
      ])
    },
    session({ address, widgetId }) {
      take('sessions', [
        { key: networkOf(address), most: SESSIONS_PER_ADDRESS, in: 'minute' },
        { key: widgetId, most: SESSIONS_PER_KEY, in: 'minute' },
      ])
    },
    request({ visitorId, address }) {
      const ofAddress: Limit = { key: networkOf(address), most: REQUESTS_PER_ADDRESS, in: 'minute' }
      const ofVisitor: Limit[] =
        visitorId === undefined ? [] : [{ key: visitorId, most: REQUESTS_PER_VISITOR, in: 'minute' }]
      take('requests', [...ofVisitor, ofAddress])
    },
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/**
 * Counts a message of a visitor in its unit, over all nodes, each of which also has the limits above in memory. On SQLite
 * those are exact. Throws 429.
 */
export async function countVisitorMessage(
  { clock, database }: Deps,
  tx: Transaction,
  { visitorId, clientId }: { visitorId: string; clientId: string },
): Promise<void> {
  if (database.engine === 'sqlite') return
  const now = clock.now()
  const key = `messages ${visitorId}`
  const counted = await lockWindow(tx, key, { now, after: now - HOUR_MS })
  for (const [most, windowMs] of [
    [MESSAGES_PER_VISITOR, MINUTE_MS],
    [MESSAGES_PER_VISITOR_AND_HOUR, HOUR_MS],
  ] as const) {
    const oldest = counted.filter(({ at }) => at > now - windowMs).at(-most)
    if (oldest) throw tooMany('messages', oldest.at + windowMs - now)
  }
  counted.push({ id: clientId, at: now, count: 1, isOpen: false })
  await saveWindow(tx, key, { counted, windowMs: HOUR_MS })
}

/** The refusal of one request too many. */
export function tooMany(what: string, waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new AppError(429, 'rate_limited', `Too many ${what}. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
