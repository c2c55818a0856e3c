import type { BunFile } from 'bun'
import type { Transaction } from '../database/database.ts'

/** Bytes as they arrive, bytes in memory, or the path of a file. */
export type Source = AsyncIterable<Uint8Array> | Uint8Array | string

/**
 * A file in the store. Until it is disposed of, the store doesn't delete it: store the row that refers to it before.
 */
export interface KeptFile extends Disposable {
  /** SHA-256 in hexadecimal. */
  hash: string
  /** Bytes. */
  size: number
  /** Its first bytes. */
  head: Uint8Array
  file: BunFile
}

export interface PutOptions {
  maxBytes?: number
  /** No server is running that could delete the file. Inside a unit, only such files can be stored. */
  isAlone?: boolean
}

/** What is wrong with a file: it isn't there, or its bytes are not what they were. */
export type FileFault = { fault: 'missing' | 'changed' }

/**
 * The bytes of attachments and raw mails, by their SHA-256. A file is complete and durable before anything can refer to it.
 * Deleting is safe beside a `put` of the same bytes. Everything throws 503 while the storage can't be reached.
 */
export interface FileStore {
  /** Stores bytes. Throws 413 over `maxBytes`, 507 when the disk is full, and what the source throws; leaves nothing then. */
  put(source: Source, given?: PutOptions): Promise<KeptFile>
  /** Moves a file whose hash is known, such as one that a worker wrote to the incoming folder, into the store. */
  adopt(path: string, hash: string): Promise<KeptFile>
  /** A file on this machine's disk with the bytes, which are checked. */
  open(hash: string): Promise<{ file: BunFile } | FileFault>
  /** Whether there is a file, whatever its bytes are. */
  has(hash: string): Promise<boolean>
  /**
   * Deletes a file unless something refers to it, or it is being stored. `tx` is given if the file can be stored by another
   * process meanwhile.
   */
  delete(hash: string, isReferenced: (tx?: Transaction) => Promise<boolean>): Promise<void>
  /** Every file, a page at a time and in ascending order. */
  list(): AsyncIterable<string[]>
  /** Those that no one is about to refer to, a page at a time: without a reference, they can be deleted. */
  listIdle(): AsyncIterable<string[]>
  /** Bytes of the disk where files arrive, and those that are free. */
  space(): Promise<{ free: number; total: number }>
  /** A folder for files to adopt. What stays there for long is deleted. */
  incomingFolder(): Promise<string>
  /** Deletes unfinished files that no one wrote to since `before`, in milliseconds since 1970. */
  deleteUnfinished(before: number): Promise<void>
}
