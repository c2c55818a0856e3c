import { type Bus, noBus } from './bus.ts'
import { everyPartition, PARTITIONS, type Partitions } from './partitions.ts'

/** This server among those that share its database. */
export interface Cluster {
  /** Empty on SQLite and in a command. */
  nodeId: string
  partitions: Partitions
  bus: Bus
  /** Servers with a lease, and partitions that this one has. */
  counts(): { nodes: number; partitions: number }
  /** Why it may not work, as a sentence; undefined while its lease is renewed and it hears the others. */
  fault(): string | undefined
  /** Begins no background work anymore. What isn't in progress goes to others at once. */
  retire(): void
  /** Call it when no background work is in progress. */
  leave(): Promise<void>
}

/** The only server of a database, or a command. */
export const alone: Cluster = {
  nodeId: '',
  partitions: everyPartition,
  bus: noBus,
  counts: () => ({ nodes: 1, partitions: PARTITIONS.length }),
  fault: () => undefined,
  retire() {},
  async leave() {},
}
