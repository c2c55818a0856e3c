import { sql } from 'drizzle-orm'
import { type Clock, systemClock } from '../clock.ts'
import type { Reader } from '../database/database.ts'

/** How many answers are compared: the one that came fastest says best how late it is. */
const COMPARED = 5
/** A difference that no delay explains: the database's clock was set. */
const MIN_JUMP_MS = 100

interface DatabaseClock extends Clock {
  /** The database said at some moment between two monotonic times that it was `time`. */
  correct(time: number, askedAt: number, answeredAt: number): void
}

/** The database's clock: all nodes have the same time, whatever their machines show. It moves on with the monotonic clock. */
export function createDatabaseClock(base: Clock): DatabaseClock {
  /** The wall clock when the monotonic one was 0. */
  let origin = base.now() - base.monotonic()
  let known: { origin: number; delay: number }[] = []
  return {
    ...base,
    now: () => Math.floor(origin + base.monotonic()),
    correct(time, askedAt, answeredAt) {
      const delay = (answeredAt - askedAt) / 2
      const said = time - (askedAt + answeredAt) / 2
      const isOff = known.length === 0 || Math.abs(said - origin) > delay + MIN_JUMP_MS
      known = isOff ? [] : known.slice(1 - COMPARED)
      known.push({ origin: said, delay })
      origin = known.reduce((best, one) => (one.delay < best.delay ? one : best)).origin
    },
  }
}

/** Sets the clock of a command, which hears of the time only once. */
export async function askTime(read: Reader, { correct }: DatabaseClock): Promise<void> {
  const askedAt = systemClock.monotonic()
  const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`
  const [row] = await read.select({ now }).from(sql`(select 1) as one`)
  if (row) correct(row.now, askedAt, systemClock.monotonic())
}
