import type { Fence } from '../database/postgresql/fence.ts'

/** Every id ends with one of these (see ids.ts). */
export const PARTITIONS = '0123456789abcdefghjkmnpqrstvwxyz'

/** Its holder does what happens once in a cluster. */
export const FIRST = '0'

/** What follows the partitions of this node. */
export interface PartitionFollower {
  /** Partitions were taken or lost, or are to be given back. */
  onChange?(): void
  /** Whether work of a partition is in progress. Such a partition is given back a moment later. */
  isBusy?(partition: string): boolean
}

/**
 * The part of the background work that is this node's. A job's partition is the last character of the id of what it is done for,
 * such as an endpoint or a mailbox. Only its holder does the work, so limits and pauses are kept in memory.
 */
export interface Partitions {
  /** Those whose work may begin here, as one string. On SQLite all of them. */
  held(): string
  /** Whether work for an id may begin here. */
  has(id: string): boolean
  /** Whether the result of work for an id may be recorded here: also while its partition is being given back. */
  owns(id: string): boolean
  /** For what happens once in a cluster, such as deleting old rows. */
  hasFirst(): boolean
  /** The fence for the units of work for these ids; undefined on SQLite. */
  fenceOf(ids: Iterable<string>): Fence | undefined
  /** Returns how to end it. */
  follow(follower: PartitionFollower): () => void
}

/** The partition of an id. */
export function partitionOf(id: string): string {
  return id.slice(-1)
}

/** The partitions of the only server of a database. */
export const everyPartition: Partitions = {
  held: () => PARTITIONS,
  has: () => true,
  owns: () => true,
  hasFirst: () => true,
  fenceOf: () => undefined,
  follow: () => () => {},
}
