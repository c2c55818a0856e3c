import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'

/** The encodings that a response can have, the best first. */
const ENCODINGS = ['zstd', 'br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Compression hardly helps below this size. */
export const MIN_COMPRESSED_BYTES = 1024
/** Up to this size, compression takes a fraction of a millisecond. Larger texts are compressed in another thread. */
const MAX_AT_ONCE_BYTES = 16 * 1024

const BROTLI_QUALITY = 4
const GZIP = { level: 5 }

/** RFC 9110, section 12.5.3: the accepted encoding with the highest `q`, or undefined for none. */
export function encodingFor(
  accepted: string,
  available: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  const qualities = new Map(
    accepted.split(',').map((part) => {
      const [name = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/)
      const q = parameters.find((parameter) => parameter.startsWith('q='))
      return [name, q === undefined ? 1 : Number(q.slice(2)) || 0]
    }),
  )
  const qualityOf = (encoding: string) => qualities.get(encoding) ?? qualities.get('*') ?? 0
  const [best] = available.toSorted((one, other) => qualityOf(other) - qualityOf(one))
  return best && qualityOf(best) > 0 ? best : undefined
}

export async function compress(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const { compressNow, compressInThread } = compressionOf(encoding)
  const isSmall = bytes.byteLength <= MAX_AT_ONCE_BYTES
  return new Uint8Array(isSmall ? compressNow(bytes) : await promisify(compressInThread)(bytes))
}

/**
 * Compresses text while it is being produced, in other threads. The text is produced only as fast as the result is
 * read.
 */
export async function* compressSlices(
  text: AsyncIterable<string>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array, void, void> {
  const compressor = compressionOf(encoding).openStream()
  // Loaded when first used, so that the server starts faster.
  const { promises, Readable } = process.getBuiltinModule('node:stream')
  const done = promises.pipeline(Readable.from(text, { objectMode: true, highWaterMark: 1 }), compressor)
  // The loop below throws the same.
  done.catch(() => {})
  for await (const chunk of compressor) yield chunk
  await done
}

interface Compression {
  compressNow(bytes: Uint8Array): Buffer
  compressInThread(bytes: Uint8Array, call: (error: Error | null, compressed: Buffer) => void): void
  openStream(): Duplex
}

function compressionOf(encoding: Encoding): Compression {
  const zlib = process.getBuiltinModule('node:zlib')
  const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }
  switch (encoding) {
    case 'zstd':
      return {
        compressNow: (bytes) => zlib.zstdCompressSync(bytes),
        compressInThread: (bytes, call) => zlib.zstdCompress(bytes, call),
        openStream: () => zlib.createZstdCompress(),
      }
    case 'br':
      return {
        compressNow: (bytes) => zlib.brotliCompressSync(bytes, brotli),
        compressInThread: (bytes, call) => zlib.brotliCompress(bytes, brotli, call),
        openStream: () => zlib.createBrotliCompress(brotli),
      }
    case 'gzip':
      return {
        compressNow: (bytes) => zlib.gzipSync(bytes, GZIP),
        compressInThread: (bytes, call) => zlib.gzip(bytes, GZIP, call),
        openStream: () => zlib.createGzip(GZIP),
      }
  }
}
