import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Cluster } from '../cluster/cluster.ts'
import { type Loop, type LoopDeps, startLoop } from '../loop.ts'

const MAX_AMONG = 50

export interface HeldLoopDeps extends LoopDeps {
  cluster: Pick<Cluster, 'partitions'>
}

/**
 * Runs work for the organizations in this node's partitions; `work` gets those whose rows changed. It also runs after the
 * partitions change, and doesn't run while the node has none.
 */
export function startHeldLoop(
  deps: HeldLoopDeps,
  name: string,
  tables: PgTable[],
  work: (orgIds?: ReadonlySet<string>) => Promise<number>,
): Loop {
  const { partitions } = deps.cluster
  const run = async (orgIds?: ReadonlySet<string>) =>
    partitions.held() === '' ? Number.POSITIVE_INFINITY : work(orgIds)
  const loop = startLoop(deps, name, tables, run, partitions.has)
  const stopFollowing = partitions.follow({ onChange: loop.wake })
  return {
    wake: loop.wake,
    stop() {
      stopFollowing()
      return loop.stop()
    },
  }
}

/** Whether the work for an id is this node's: `held` are the last characters of such ids. The same in words of both engines. */
export function isHeld(id: PgColumn | SQL, held: SQL): SQL {
  return sql`${held} like '%' || substr(${id}, length(${id})) || '%'`
}

/** Whether an id is one of these; with the empty text, any is. */
export function isAmong(id: PgColumn | SQL, among: SQL): SQL {
  return sql`(${among} = '' or ${among} like '%' || ${id} || '%')`
}

/** Ids as a parameter of `isAmong`; without ids, or with so many that each row would take long: any. */
export function amongText(ids: ReadonlySet<string> | undefined): string {
  return ids && ids.size <= MAX_AMONG ? [...ids].join(' ') : ''
}
