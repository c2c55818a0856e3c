import { AsyncLocalStorage } from 'node:async_hooks'

/** Partitions that a unit's work belongs to, with their tokens. Another holder has another token. */
export type Fence = ReadonlyMap<string, number>

/** The unit belongs to a partition that another node has taken. Nothing was changed, and its result is dropped. */
export class PartitionLost extends Error {
  override name = 'PartitionLost'
}

const fenceOfCaller = new AsyncLocalStorage<Fence>()

/** Units of `work` are kept only while this node holds the partitions. */
export function withFence<T>(fence: Fence | undefined, work: () => Promise<T>): Promise<T> {
  return fence ? fenceOfCaller.run(fence, work) : work()
}

/** The partitions that a unit must still hold; undefined for one of a request, and on SQLite. */
export function currentFence(): Fence | undefined {
  return fenceOfCaller.getStore()
}

/** Each partition with its token, between blanks. */
export function textOf(fence: Fence): string {
  return ` ${[...fence].map(([id, token]) => `${id}:${token}`).join(' ')} `
}
