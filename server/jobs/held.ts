import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Cluster } from '../cluster/cluster.ts'
import { type Loop, type LoopDeps, startLoop } from '../loop.ts'

export interface HeldLoopDeps extends LoopDeps {
  cluster: Pick<Cluster, 'partitions'>
}

/** A loop over the work of this node's partitions. It also runs when these change, and not while the node has none. */
export function startHeldLoop(
  deps: HeldLoopDeps,
  name: string,
  tables: PgTable[],
  work: () => Promise<number>,
): Loop {
  const { partitions } = deps.cluster
  const loop = startLoop(deps, name, tables, async () =>
    partitions.held() === '' ? Number.POSITIVE_INFINITY : work(),
  )
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
