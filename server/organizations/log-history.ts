import { sql } from 'drizzle-orm'
import { repeatEvery, systemClock } from '../clock.ts'
import { isStorageFault } from '../database/database.ts'
import { IS_LEASED } from '../database/postgresql/database-time.ts'
import { type History, installation, nodes } from '../database/tables/cluster.ts'
import type { Deps } from '../deps.ts'
import { beginLog, TIMELINE } from '../events/positions.ts'
import { createErrorLog } from '../loop.ts'
import { listOrganizations } from './directory.ts'

/** Each server looks, because the one that has the first partition may have died with the database. */
const CHECK_EVERY_MS = 2_000

const NOW = {
  /** Another one for a copy of the database, such as one that was restored from a dump. */
  identity: sql<string>`(select system_identifier from pg_control_system())::text || '/' || (
    select oid from pg_database where datname = current_database())::text || '/' || 'organizations'::regclass::oid::text`,
  timeline: TIMELINE,
  /** Whether a standby has all that was confirmed. */
  isSynchronous: sql<boolean>`current_setting('synchronous_standby_names') <> ''
    and current_setting('synchronous_commit') not in ('off', 'local')`,
  history: installation.history,
}

/**
 * Follows the database of a server on PostgreSQL: the event logs begin anew when it may lack events that were confirmed,
 * because it was restored or a standby without all of them took over. Looks at once, before the server works.
 */
export async function followDatabase(deps: Deps): Promise<{ stop(): void | Promise<void> }> {
  if (deps.database.engine === 'sqlite') return { stop() {} }
  try {
    await beginLogsAfterLoss(deps, true)
  } catch (error) {
    if (isStorageFault(error)) throw error
    // Some services with the protocol of PostgreSQL have no timelines.
    deps.log.warn('database_history_unknown', { error })
    await deps.database.write(undefined, async (tx) => {
      await tx.update(installation).set({ history: null })
    })
    return { stop() {} }
  }
  const logError = createErrorLog(deps, 'database_history_unknown')
  return repeatEvery(CHECK_EVERY_MS, systemClock, async () => {
    try {
      await beginLogsAfterLoss(deps, false)
    } catch (error) {
      if (!isStorageFault(error)) logError({ error })
    }
  })
}

async function beginLogsAfterLoss(deps: Deps, isStarting: boolean): Promise<void> {
  const [seen] = await deps.database.read.select(NOW).from(installation)
  if (!seen || isUnchanged(seen)) return
  const orgIds = (await listOrganizations(deps)).map(({ id }) => id)
  const reason = await deps.database.write(undefined, async (tx) => {
    const others = sql<boolean>`exists (select 1 from ${nodes} where ${nodes.id} <> ${deps.cluster.nodeId}
      and ${sql.raw(IS_LEASED)})`
    const [row] = await tx
      .select({ ...NOW, hasOthers: others })
      .from(installation)
      .for('update')
    // Another server was faster.
    if (!row || isUnchanged(row)) return undefined
    const { history, hasOthers, ...now } = row
    await tx.update(installation).set({ history: now })
    if (!history) return undefined
    const isCopy = now.identity !== history.identity
    // Servers see a failover. A restore to a point in time, which loses what came after it, is made while none runs.
    const isFailover = !isStarting || hasOthers
    const isWhole = !isCopy && (now.timeline === history.timeline || (isFailover && history.isSynchronous))
    if (isWhole) return undefined
    // In the order in which every unit of several locks them.
    for (const id of orgIds.sort()) await beginLog(deps, tx, id)
    return isCopy ? 'restored' : 'failover'
  })
  if (reason) deps.log.warn('event_logs_begun', { reason })
}

function isUnchanged({ history, ...now }: History & { history: History | null }): boolean {
  return Bun.deepEquals(history, now)
}
