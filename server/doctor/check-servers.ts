import { count, eq, sql } from 'drizzle-orm'
import { systemClock, within } from '../clock.ts'
import { DATABASE_TIME, IS_LEASED } from '../database/postgresql/database-time.ts'
import { nodes, partitions } from '../database/tables/cluster.ts'
import { judgeClock } from './check-clock.ts'
import { countOf, type Finding, findingsOf, type OpenInstallation } from './finding.ts'

const { ok, warning, error } = findingsOf('servers')
const NOW = sql.raw(DATABASE_TIME)
const CHANNEL = 'bellhop_doctor'
const MAX_WAIT_MS = 3_000
/** Limits. A server starts with others, too. */
const SHOULD_BE_SAME = [
  'BELLHOP_RATE_LIMIT',
  'BELLHOP_MCP_REPLIES',
  'BELLHOP_MCP_SUGGESTIONS',
  'BELLHOP_ATTACHMENT_LIMIT',
  'BELLHOP_ATTACHMENTS_PER_MESSAGE',
  'BELLHOP_VISITOR_UPLOADS',
]

/** On PostgreSQL: the servers that share the database, what they share, and whether they can hear each other. */
export async function checkServers({ config, deps, signal }: OpenInstallation): Promise<Finding[]> {
  const { databaseUrl, files } = config
  if (databaseUrl === undefined) return []
  const living = await deps.database.read
    .select({
      id: nodes.id,
      version: nodes.version,
      settings: nodes.settings,
      leaseMs: sql<string>`${nodes.leaseUntil} - ${NOW}`,
      partitions: count(partitions.id),
    })
    .from(nodes)
    .leftJoin(partitions, eq(partitions.nodeId, nodes.id))
    .where(sql.raw(IS_LEASED))
    .groupBy(nodes.id)
    .orderBy(nodes.startedAt)
  const found: Finding[] = []
  if (!(await areNotificationsHeard(databaseUrl, signal))) {
    const detail = 'Notifications of PostgreSQL do not arrive, so servers would not hear each other.'
    const advice = 'If PgBouncer is between, use its session mode: transaction mode drops them.'
    found.push(error(detail, advice))
  }
  const [clock] = await deps.database.read.select({ now: sql<string>`${NOW}` }).from(sql`(values (1)) as one`)
  const difference = judgeClock(Number(clock?.now) - systemClock.now(), 'that of the database')
  if (difference) found.push({ ...difference, check: 'servers' })
  if (living.length > 1) {
    if (!files) {
      const detail = `${countOf(living.length, 'server')} use the database, and files are in the data folder of each.`
      found.push(error(detail, 'Set BELLHOP_FILES to the same bucket for all servers.'))
    }
    const differing = SHOULD_BE_SAME.filter((name) => {
      return new Set(living.flatMap(({ settings }) => settings[name] ?? [])).size > 1
    })
    if (differing.length > 0) {
      const detail = `The servers have different values of ${differing.join(' and ')}.`
      found.push(warning(detail, 'Set the same for all servers, and restart those that had another.'))
    }
    const [standby] = await deps.database.read
      .select({
        isRequired: sql<boolean>`current_setting('synchronous_standby_names') <> ''`,
        count: sql<string>`(select count(*) from pg_stat_replication)`,
      })
      .from(sql`(values (1)) as one`)
    if (!standby?.isRequired || Number(standby.count) === 0) {
      const detail = 'PostgreSQL has no synchronous standby: if it fails, the last changes may be lost.'
      found.push(warning(detail, "Add a standby, and set synchronous_standby_names to 'ANY 1 (…)'."))
    }
  }
  const [free] = await deps.database.read
    .select({ count: sql<string>`count(*)` })
    .from(partitions)
    .where(
      sql`not exists (select 1 from ${nodes} where ${nodes.id} = ${partitions.nodeId} and ${sql.raw(IS_LEASED)})`,
    )
  if (living.length > 0 && Number(free?.count) > 0) {
    const detail = `${free?.count} of 32 parts of the background work are done by no server.`
    found.push(
      warning(detail, 'A server takes them within seconds. If this stays, look at the logs of the servers.'),
    )
  }
  const all = living.map(
    (node) =>
      `${node.id} on ${node.settings.host ?? 'another machine'} (${node.version}, ${node.partitions} of 32 parts of the work, lease for ${Math.round(Number(node.leaseMs) / 1000)} s)`,
  )
  if (all.length > 0) found.push(ok(`${countOf(all.length, 'server')}: ${all.join(', ')}.`))
  return found
}

/** A NOTIFY to itself. */
async function areNotificationsHeard(url: string, signal: AbortSignal): Promise<boolean> {
  // Not imported: that would load it on SQLite, too.
  const client = new Bun.SQL(url, { max: 1 })
  const sender = new Bun.SQL(url, { max: 1 })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  signal.addEventListener('abort', () => resolve(false), { once: true })
  try {
    await client.listen(CHANNEL, () => resolve(true))
    await sender`select pg_notify(${CHANNEL}, '')`
    return await within(MAX_WAIT_MS, promise, () => false)
  } finally {
    await Promise.all([client.close({ timeout: 0 }), sender.close({ timeout: 0 })])
  }
}
