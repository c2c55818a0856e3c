import { openPool } from '../database/postgresql/postgres-pool.ts'
import type { Log } from '../log.ts'
import type { Cluster } from './cluster.ts'
import { joinNodes, type NodeFacts, type OnTime } from './membership.ts'
import { openPostgresBus } from './postgres-bus.ts'

/** For leases and messages. */
const CONNECTIONS = 2
/** Less than a lease: with a slower answer, a server can't hold it. On a dead connection it would wait for none. */
const MAX_WAIT_MS = 5_000

interface Given {
  url: string
  node: NodeFacts
  log: Log
  onWritten: (written?: ReadonlySet<string>, orgIds?: ReadonlySet<string>) => void
  onTime: OnTime
}

/** Joins the servers of a PostgreSQL database. Throws `StartError` when this one can't work with them. */
export async function joinCluster({ url, node, log, onWritten, onTime }: Given): Promise<Cluster> {
  const client = openPool(url, { max: CONNECTIONS, maxWaitMs: MAX_WAIT_MS })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => client.close())
  const bus = await openPostgresBus({ nodeId: node.id, url, client, log, onWritten, onTime })
  opened.defer(bus.stop)
  const tellOthers = () => bus.send('partitions', '')
  const membership = await joinNodes(client, node, { log, onGivenBack: tellOthers, onTime })
  bus.on('partitions', membership.rebalance)
  // The others give some of theirs back.
  tellOthers()
  opened.defer(membership.leave)
  const everything = opened.move()
  return {
    nodeId: node.id,
    partitions: membership,
    bus,
    counts: membership.counts,
    fault() {
      if (!membership.isMember()) return 'This server has no lease: it could not renew it in the database.'
      return bus.isWhole()
        ? undefined
        : "This server doesn't hear the others: notifications of the database are missing."
    },
    retire: membership.retire,
    leave: () => everything.disposeAsync(),
  }
}
