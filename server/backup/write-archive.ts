import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { type Header, pack } from 'tar-stream'
import { encrypt } from './archive-file.ts'

/** A file in the archive: its bytes, or the path of the file to read. */
export interface ArchiveEntry {
  name: string
  size: number
  from: Uint8Array | string
}

/**
 * Writes a tar file compressed with Zstandard (RFC 8878) and, with a passphrase, encrypted in the age format, so that
 * `age -d`, `zstd -d`, and `tar` open it. Replaces the file, and syncs it. `at` is in milliseconds since 1970.
 */
export async function writeArchive(
  file: string,
  { entries, passphrase, at }: { entries: AsyncIterable<ArchiveEntry>; passphrase?: string; at: number },
): Promise<void> {
  const archive = pack()
  const compress = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  })
  const out = createWriteStream(file, { mode: 0o600, flush: true })
  const written =
    passphrase === undefined
      ? pipeline(archive, compress, out)
      : pipeline(archive, compress, (bytes) => encrypt(bytes, passphrase), out)
  written.catch((error) => archive.destroy(error))
  const outcomes = await Promise.allSettled([written, fill(archive, entries, new Date(at))])
  // The disk's error comes first: it is what ended the other.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

async function fill(
  archive: ReturnType<typeof pack>,
  entries: AsyncIterable<ArchiveEntry>,
  mtime: Date,
): Promise<void> {
  try {
    for await (const { name, size, from } of entries) {
      const header = { name, size, mode: 0o600, mtime }
      if (typeof from === 'string') await pipeline(createReadStream(from), archive.entry(header))
      else await addWhole(archive, header, from)
    }
    archive.finalize()
  } catch (error) {
    archive.destroy(error instanceof Error ? error : undefined)
    throw error
  }
}

function addWhole(
  archive: ReturnType<typeof pack>,
  header: Partial<Header> & { name: string },
  bytes: Uint8Array,
): Promise<void> {
  return new Promise((resolve, reject) => {
    archive.entry(header, Buffer.from(bytes), (error) => (error ? reject(error) : resolve()))
  })
}
