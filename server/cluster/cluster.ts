import { type Bus, noBus } from './bus.ts'
import { everyPartition, type Partitions } from './partitions.ts'

/** This server among those that share its database. */
export interface Cluster {
  /** Empty on SQLite and in a command. */
  nodeId: string
  partitions: Partitions
  bus: Bus
  /** Whether it may work: its lease is renewed and it hears the others. */
  isReady(): boolean
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
  isReady: () => true,
  retire() {},
  async leave() {},
}
