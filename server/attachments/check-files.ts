import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { StartError } from '../errors.ts'
import type { Log } from '../log.ts'
import { BucketError, openBucket } from './bucket.ts'
import { referencedFiles, referencedHashes } from './queries.ts'

/**
 * Checks the bucket of BELLHOP_FILES at the start. Throws `StartError` when it refuses. One that can't be reached is only logged:
 * until it can, everything but files works.
 */
export async function requireBucket({ files }: Config, log: Log): Promise<void> {
  if (!files) return
  try {
    await openBucket(files).probe()
  } catch (error) {
    if (!(error instanceof BucketError)) throw error
    if (error.isRefusal) throw new StartError(`BELLHOP_FILES: ${error.reason}`)
    log.error('files_unreachable', { detail: error.reason })
  }
}

interface Comparison {
  /** Files that something refers to. */
  files: number
  /** Hashes of those that aren't in the store. */
  missing: string[]
}

/** Compares all files that something refers to with those in the store, by their names. */
export async function compareFiles(deps: Deps): Promise<Comparison> {
  const { read, background } = deps.database
  const absent: string[] = []
  let files = 0
  const stored = inOrder(deps.files.list())
  let next = await stored.next()
  for (let after = ''; ; ) {
    const hashes = await referencedHashes(background, { after, limit: HASHES_AT_ONCE })
    for (const hash of hashes) {
      while (!next.done && next.value < hash) next = await stored.next()
      if (next.done || next.value !== hash) absent.push(hash)
    }
    files += hashes.length
    const last = hashes.at(-1)
    if (last === undefined) break
    after = last
  }
  // Not those that were stored or deleted meanwhile.
  const missing: string[] = []
  for (const hash of absent) {
    const isMissing = (await referencedFiles(read, [hash])).has(hash) && !(await deps.files.has(hash))
    if (isMissing) missing.push(hash)
  }
  return { files, missing }
}

const HASHES_AT_ONCE = 1_000

async function* inOrder(pages: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const page of pages) yield* page
}
