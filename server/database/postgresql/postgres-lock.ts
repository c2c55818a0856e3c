import { SQL } from 'bun'
import { type Clock, repeatEvery } from '../../clock.ts'
import { StartError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { openPool } from './postgres-pool.ts'

/** An arbitrary number, the same in every server and different from that of the migrations. */
const SERVER_LOCK = 7_235_513
/** The session of a killed server ends a moment after the process. */
const MAX_WAIT_MS = 2_000
const HOLD_EVERY_MS = 5_000

interface DatabaseLock {
  release(): Promise<void>
}

/**
 * Allows one server per PostgreSQL database, because another one would treat running delivery attempts as interrupted.
 * A separate connection's session holds the lock, so it ends with the process. Throws `StartError` when another server
 * holds it.
 */
export async function lockPostgres(url: string, context: { clock: Clock; log: Log }): Promise<DatabaseLock> {
  // Detects a lost machine within half a minute instead of two hours.
  const keepalive = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 }
  const client = openPool(url, { max: 1, connection: { ...keepalive, lock_timeout: MAX_WAIT_MS } })
  try {
    await client`select pg_advisory_lock(${SERVER_LOCK})`
  } catch (error) {
    await client.close()
    if (isTaken(error)) throw new StartError('Another Bellhop server is using this database. Stop it first.')
    throw error
  }
  const holding = keepHolding(client, context)
  return {
    async release() {
      const stopped = holding.stop()
      // Ends the check that may be waiting for a server that hangs.
      await client.close()
      await stopped
    },
  }
}

/** Whether a server uses this database, on this machine or another. */
export async function isPostgresLocked(url: string): Promise<boolean> {
  const client = openPool(url, { max: 1, connectionTimeout: 5 })
  try {
    const held = await client`
      select 1 from pg_locks
      where locktype = 'advisory' and classid = 0 and objid = ${SERVER_LOCK} and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())`
    return held.length > 0
  } finally {
    await client.close()
  }
}

/** A broken session loses its lock. Locking again in the same session has no effect. */
function keepHolding(client: SQL, { clock, log }: { clock: Clock; log: Log }) {
  let hasFailed = false
  let isTakenByOther = false
  return repeatEvery(HOLD_EVERY_MS, clock, async () => {
    try {
      const [row] = await client`select pg_try_advisory_lock(${SERVER_LOCK}) as "isHeld"`
      if (!row.isHeld && !isTakenByOther) log.error('database_taken_by_another_server')
      isTakenByOther = !row.isHeld
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log.warn('database_lock_not_checked', { error })
      hasFailed = true
    }
  })
}

/** SQLSTATE lock_not_available: the wait exceeded `lock_timeout`. */
function isTaken(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.errno === '55P03'
}
