import { SQL } from 'bun'
import type { Clock } from '../clock.ts'
import { StartError } from '../errors.ts'
import type { Log } from '../log.ts'

/** Any number, the same in every server; not the one of the migrations. */
const SERVER_LOCK = 7_235_513
/** A server that was killed is gone at once, but its session ends a moment later. */
const LONGEST_WAIT_MS = 2_000
const HOLD_EVERY_MS = 5_000

export interface DatabaseLock {
  release(): Promise<void>
}

/**
 * One server for each PostgreSQL database: another would take attempts under way for interrupted ones. Held by the
 * session of a connection of its own, so it ends with the process. Throws `StartError` when another server holds it.
 */
export async function lockPostgres(url: string, context: { clock: Clock; log: Log }): Promise<DatabaseLock> {
  // A machine that vanishes without a word is noticed within half a minute, not after two hours.
  const keepalive = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 }
  const client = new SQL(url, { max: 1, connection: { ...keepalive, lock_timeout: LONGEST_WAIT_MS } })
  try {
    await client`select pg_advisory_lock(${SERVER_LOCK})`
  } catch (error) {
    await client.close()
    if (isTaken(error)) throw new StartError('Another Bellhop server uses this database. Stop it first.')
    throw error
  }
  const holding = keepHolding(client, context)
  return {
    async release() {
      await holding.stop()
      await client.close()
    },
  }
}

/** A session that broke has lost its lock; taking it again in the same session changes nothing. */
function keepHolding(client: SQL, { clock, log }: { clock: Clock; log: Log }) {
  let isStopped = false
  let hasFailed = false
  let holding = Promise.resolve()
  let cancelTimer = clock.after(HOLD_EVERY_MS, start)

  function start(): void {
    holding = hold()
  }

  async function hold(): Promise<void> {
    try {
      const [row] = await client`select pg_try_advisory_lock(${SERVER_LOCK}) as "isHeld"`
      if (!row.isHeld) log.error('database_taken_by_another_server')
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log.warn('database_lock_not_checked', { error })
      hasFailed = true
    }
    if (!isStopped) cancelTimer = clock.after(HOLD_EVERY_MS, start)
  }

  return {
    async stop() {
      isStopped = true
      cancelTimer()
      await holding
    },
  }
}

/** SQLSTATE lock_not_available: the wait was longer than `lock_timeout`. */
function isTaken(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.errno === '55P03'
}
