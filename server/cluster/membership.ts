import type { SQL } from 'bun'
import { repeatEvery, systemClock } from '../clock.ts'
import { storageCode } from '../database/database.ts'
import { DATABASE_TIME, IS_LEASED } from '../database/postgresql/database-time.ts'
import type { Fence } from '../database/postgresql/fence.ts'
import { tooFarApart } from '../database/postgresql/postgres-migrations.ts'
import { openPool } from '../database/postgresql/postgres-pool.ts'
import { StartError } from '../errors.ts'
import type { Log } from '../log.ts'
import { canRunTogether } from '../version.ts'
import { FIRST, PARTITIONS, type PartitionFollower, type Partitions, partitionOf } from './partitions.ts'

/** Leases are in real time, also where a test moves the clock. */
const { monotonic, after } = systemClock

const LEASE_MS = 10_000
const RENEW_EVERY_MS = 3_000
const RETRY_AFTER_MS = 500
/** A node that hasn't renewed its lease for so long begins no work: another one may soon take it. */
const MAX_TRUST_MS = 7_000
/**
 * How long work in progress may take that belongs to a partition that is to be given back. Most attempts end much earlier,
 * and the next holder repeats one that doesn't.
 */
const MAX_LEAVE_MS = 60_000
const LEAVE_CHECK_MS = 100

/** Rows of nodes that ended without deleting them are kept for so long. */
const FORGET_AFTER_MS = 3_600_000

/** The database's time in milliseconds since 1970, and the monotonic times before and after it was asked. */
export type OnTime = (time: number, askedAt: number, answeredAt: number) => void

export interface NodeFacts {
  id: string
  /** The node of the same data folder that ended before this one started; empty for none. */
  before: string
  version: string
  /** What all nodes must have in common, by name: values or their fingerprints. */
  settings: Record<string, string>
  /** What doctor looks at: the host name, and settings that may differ, by name. */
  shown: Record<string, string>
}

/** `text`: it is another with each renewal. `isOver`: by the database's time. */
interface Lease {
  text: string
  isOver: boolean
  isRetiring: boolean
}

/** A node with its lease, in SQL. */
const LEASE = "nodes.id || ':' || lease_until"

export interface Membership extends Partitions {
  /** Whether the lease is renewed. */
  isMember(): boolean
  counts(): { nodes: number; partitions: number }
  /** Takes free partitions and gives others back now, and not with the next renewal. */
  rebalance(): void
  /** Begins no work anymore, and gives back each partition as soon as none of its work is in progress. */
  retire(): void
  /** Gives everything back. Call it when no work is in progress. */
  leave(): Promise<void>
}

/**
 * Makes this process a node: it holds a lease and its share of the partitions. `onGivenBack` is called when partitions
 * are free for others. What the node before has is free at once.
 */
export async function joinNodes(
  client: SQL,
  facts: NodeFacts,
  { log, onGivenBack, onTime }: { log: Log; onGivenBack: () => void; onTime: OnTime },
): Promise<Membership> {
  const followers = new Set<PartitionFollower>()
  /** Of the partitions that this node has, also of those it is giving back. */
  const tokens = new Map<string, number>()
  /** Those that are given back, and until when their work may take. */
  const leaving = new Map<string, number>()
  let isRetiring = false
  let held = ''
  let renewedAt = Number.NEGATIVE_INFINITY
  let cancelExpiry = () => {}
  /** The leases of other nodes, and since when each is known, by the monotonic clock. */
  let leases = new Map<string, Lease & { since: number }>()
  let hasLeft = false
  /** Renewals run one after the other. */
  let running = Promise.resolve()
  let hasFailed = false
  let cancelRetry = () => {}

  function isMember(): boolean {
    return monotonic() - renewedAt < MAX_TRUST_MS
  }

  function change(): void {
    held = [...tokens.keys()].filter((partition) => !leaving.has(partition)).join('')
    for (const follower of followers) follower.onChange?.()
  }

  function lose(lost: string[]): void {
    if (lost.length === 0) return
    log.warn('partitions_lost', { node: facts.id, partitions: lost.join('') })
    for (const partition of lost) {
      tokens.delete(partition)
      leaving.delete(partition)
    }
    change()
  }

  function loseAll(): void {
    lose([...tokens.keys()])
  }

  /** Also frees what only the database believes to be this node's, after an answer that was lost or came too late. */
  async function renew(): Promise<void> {
    const askedAt = monotonic()
    const [row] = await client.unsafe(
      `with own as (
        insert into nodes (id, version, settings, started_at, lease_until, is_retiring)
        values ($1, $2, $3, ${DATABASE_TIME}, ${DATABASE_TIME} + $4::bigint, $7)
        on conflict (id) do update set lease_until = excluded.lease_until, is_retiring = excluded.is_retiring),
      forgotten as (delete from nodes where lease_until < ${DATABASE_TIME} - $5::bigint and position(${LEASE} in $8) > 0),
      freed as (update partitions set node_id = null where node_id = $1 and position(id in $6) = 0)
      select (select coalesce(json_agg(json_build_object('id', id, 'text', ${LEASE}, 'isRetiring', is_retiring,
          'isOver', lease_until <= ${DATABASE_TIME})), '[]') from nodes where id <> $1)::text as leases,
        (select coalesce(string_agg(id || ':' || token, ' '), '') from partitions where node_id = $1) as kept`,
      [
        facts.id,
        facts.version,
        JSON.stringify({ ...facts.shown, ...facts.settings }),
        LEASE_MS,
        FORGET_AFTER_MS,
        [...tokens.keys()].join(''),
        isRetiring,
        gone(),
      ],
    )
    // Meanwhile, others may have taken what this node had, also while the machine slept and its monotonic clock stood.
    if (!isMember()) loseAll()
    const kept = new Set(String(row.kept).split(' '))
    lose([...tokens].flatMap(([id, token]) => (kept.has(`${id}:${token}`) ? [] : [id])))
    // With answers that take so long, it can't hold anything.
    if (monotonic() - askedAt >= MAX_TRUST_MS) return
    renewedAt = askedAt
    cancelExpiry()
    cancelExpiry = after(MAX_TRUST_MS - (monotonic() - askedAt), () => {
      if (!isMember()) loseAll()
    })
    noteLeases(JSON.parse(row.leases))
    await share(Math.ceil(PARTITIONS.length / (others() + 1)))
  }

  function noteLeases(found: (Lease & { id: string })[]): void {
    const before = leases
    leases = new Map(
      found.map(({ id, ...lease }) => {
        const known = before.get(id)
        const first = lease.isOver ? Number.NEGATIVE_INFINITY : monotonic()
        const since = known ? (known.text === lease.text ? known.since : monotonic()) : first
        return [id, { ...lease, since }]
      }),
    )
  }

  /**
   * Whether a node has stopped to renew its lease. The time of the database alone doesn't tell: when it is set, all leases
   * are over at once, or for minutes none is.
   */
  function isGone({ isOver, since }: Lease & { since: number }): boolean {
    return monotonic() - since >= (isOver ? MAX_TRUST_MS : LEASE_MS)
  }

  /** What others have as theirs is free while these are their leases. */
  function gone(): string {
    return [...leases.values()].flatMap((lease) => (isGone(lease) ? [lease.text] : [])).join(' ')
  }

  function others(): number {
    return [...leases.values()].filter((lease) => !(lease.isRetiring || isGone(lease))).length
  }

  async function share(most: number): Promise<void> {
    if (isRetiring) return
    const missing = most - (tokens.size - leaving.size)
    if (missing > 0) await take(missing)
    else if (missing < 0) giveBack(-missing)
  }

  async function take(howMany: number): Promise<void> {
    const askedAt = monotonic()
    const taken: { id: string; token: string; now: string }[] = await client.unsafe(
      `update partitions set node_id = $1, token = token + 1 where id in (
        select id from partitions where position(id in $2) = 0 and (node_id is null or node_id = $1 or not exists (
          select 1 from nodes where nodes.id = partitions.node_id and position(${LEASE} in $4) = 0))
        order by id limit $3::int for update skip locked)
      returning id, token::text as token, ${DATABASE_TIME}::text as now`,
      [facts.id, [...tokens.keys()].join(''), howMany, gone()],
    )
    const [first] = taken
    if (!first) return
    // The due times in it may be by a time that this node hasn't heard of.
    onTime(Number(first.now), askedAt, monotonic())
    for (const { id, token } of taken) tokens.set(id, Number(token))
    log.debug('partitions_taken', { node: facts.id, partitions: taken.map(({ id }) => id).join('') })
    change()
  }

  /** Gives back those that come last, when their work in progress has ended. */
  function giveBack(howMany: number): void {
    if (leaving.size === 0) after(LEAVE_CHECK_MS, () => void queue(releaseIdle))
    const mine = [...tokens.keys()].filter((partition) => !leaving.has(partition)).sort()
    for (const partition of mine.slice(-howMany)) leaving.set(partition, monotonic() + MAX_LEAVE_MS)
    change()
  }

  /** Until none is left. Work that is only to be aborted has ended by the first time. */
  async function releaseIdle(): Promise<void> {
    const now = monotonic()
    const idle = [...leaving].flatMap(([id, until]) => (now >= until || !isBusy(id) ? [id] : []))
    try {
      if (idle.length > 0) await release(idle)
    } finally {
      if (leaving.size > 0) after(LEAVE_CHECK_MS, () => void queue(releaseIdle))
    }
  }

  function isBusy(partition: string): boolean {
    return [...followers].some((follower) => follower.isBusy?.(partition))
  }

  async function release(given: string[]): Promise<void> {
    for (const partition of given) {
      tokens.delete(partition)
      leaving.delete(partition)
    }
    await client.unsafe(
      'update partitions set node_id = null where node_id = $1 and position(id in $2) > 0',
      [facts.id, given.join('')],
    )
    change()
    onGivenBack()
  }

  async function giveUp(): Promise<void> {
    await client.unsafe('update partitions set node_id = null where node_id = $1', [facts.id])
    await client.unsafe('delete from nodes where id = $1', [facts.id])
  }

  function queue(work: () => Promise<void>): Promise<void> {
    running = running
      .then(() => (hasLeft ? undefined : work()))
      .then(
        () => {
          hasFailed = false
        },
        (error) => {
          if (!hasFailed) log.warn('node_not_renewed', { node: facts.id, error })
          hasFailed = true
          cancelRetry()
          cancelRetry = after(RETRY_AFTER_MS, () => void queue(renew))
        },
      )
    return running
  }

  await client.unsafe('delete from nodes where id = $1', [facts.before])
  await requireSame(client, facts)
  await client.unsafe(
    `insert into partitions (id, token) select id, 0 from regexp_split_to_table($1, '') as id on conflict do nothing`,
    [PARTITIONS],
  )
  await renew()
  try {
    // Of those that start at the same moment, each sees the others now.
    await requireSame(client, facts)
  } catch (error) {
    cancelExpiry()
    await giveUp()
    throw error
  }
  const renewing = repeatEvery(RENEW_EVERY_MS, systemClock, () => queue(renew))

  return {
    isMember,
    counts: () => ({ nodes: others() + (isMember() ? 1 : 0), partitions: isMember() ? held.length : 0 }),
    rebalance: () => void queue(renew),
    retire() {
      isRetiring = true
      // The others take all of it.
      void queue(renew)
      giveBack(PARTITIONS.length)
    },
    held: () => (isMember() ? held : ''),
    has: (id) => isMember() && held.includes(partitionOf(id)),
    owns: (id) => isMember() && tokens.has(partitionOf(id)),
    hasFirst: () => isMember() && held.includes(FIRST),
    fenceOf(ids) {
      const fence: [string, number][] = []
      // A partition that was lost has no token that could be right.
      for (const partition of new Set([...ids].map(partitionOf)))
        fence.push([partition, tokens.get(partition) ?? -1])
      return new Map(fence) satisfies Fence
    },
    follow(follower) {
      followers.add(follower)
      return () => followers.delete(follower)
    },
    async leave() {
      void renewing.stop()
      cancelExpiry()
      cancelRetry()
      await running
      hasLeft = true
      renewedAt = Number.NEGATIVE_INFINITY
      try {
        await giveUp()
        onGivenBack()
      } catch (error) {
        // Its lease ends a moment later.
        log.warn('node_not_removed', { node: facts.id, error })
      }
    },
  }
}

/** Throws `StartError` when a node that lives is of another release, has other settings, or keeps its files to itself. */
async function requireSame(client: SQL, { id, version, settings }: NodeFacts): Promise<void> {
  const others: { version: string; settings: string }[] = await client.unsafe(
    `select version, settings from nodes where id <> $1 and ${IS_LEASED}`,
    [id],
  )
  for (const other of others) {
    if (!canRunTogether(version, other.version)) throw tooFarApart(other.version)
    const theirs: Record<string, string> = JSON.parse(other.settings)
    // A server of another release may not say as much.
    const differing = Object.keys(settings).filter(
      (name) => theirs[name] !== undefined && theirs[name] !== settings[name],
    )
    if (differing.length === 0 && settings.BELLHOP_FILES === '') {
      throw new StartError(
        'Another server uses this database. Servers that share one need their files in a bucket: set BELLHOP_FILES.',
      )
    }
    if (differing.length === 0) continue
    throw new StartError(
      `Another server uses this database with another value of ${differing.join(' and ')}. All servers of a database must have the same.`,
    )
  }
}

/** Whether a server uses this database, on this machine or another. */
export async function hasNodes(url: string): Promise<boolean> {
  const client = openPool(url, { max: 1, connectionTimeout: 5 })
  try {
    const [row] = await client.unsafe(`select exists (select 1 from nodes where ${IS_LEASED}) as "isUsed"`)
    return row.isUsed
  } catch (error) {
    // A database of an earlier version, or without data.
    if (storageCode(error) === UNDEFINED_TABLE) return false
    throw error
  } finally {
    await client.close()
  }
}

const UNDEFINED_TABLE = '42P01'
