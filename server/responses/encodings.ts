import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type zlib from 'node:zlib'

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
export function encodingFor(accepted: string): Encoding | undefined {
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
  const [best] = ENCODINGS.toSorted((one, other) => qualityOf(other) - qualityOf(one))
  return best && qualityOf(best) > 0 ? best : undefined
}

export async function compress(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const isSmall = bytes.byteLength <= MAX_AT_ONCE_BYTES
  return new Uint8Array(isSmall ? compressNow(bytes, encoding) : await compressInThread(bytes, encoding))
}

function compressNow(bytes: Uint8Array, encoding: Encoding): Buffer {
  const zlib = loadZlib()
  switch (encoding) {
    case 'zstd':
      return zlib.zstdCompressSync(bytes)
    case 'br':
      return zlib.brotliCompressSync(bytes, brotli(zlib))
    case 'gzip':
      return zlib.gzipSync(bytes, GZIP)
  }
}

function compressInThread(bytes: Uint8Array, encoding: Encoding): Promise<Buffer> {
  const zlib = loadZlib()
  switch (encoding) {
    case 'zstd':
      return promisify(zlib.zstdCompress)(bytes)
    case 'br':
      return promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)(bytes, brotli(zlib))
    case 'gzip':
      return promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip)(bytes, GZIP)
  }
}

/**
 * Compresses text while it is being produced, in other threads. The text is produced only as fast as the result is
 * read.
 */
export async function* compressSlices(
  text: AsyncIterable<string>,
  encoding: Encoding,
): AsyncGenerator<Uint8Array, void, void> {
  const compressor = compressorOf(encoding)
  const done = pipeline(Readable.from(text, { objectMode: true, highWaterMark: 1 }), compressor)
  // The loop below throws the same.
  done.catch(() => {})
  for await (const chunk of compressor) yield chunk
  await done
}

function compressorOf(encoding: Encoding): Duplex {
  const zlib = loadZlib()
  switch (encoding) {
    case 'zstd':
      return zlib.createZstdCompress()
    case 'br':
      return zlib.createBrotliCompress(brotli(zlib))
    case 'gzip':
      return zlib.createGzip(GZIP)
  }
}

/** Loaded when first used, so that the server starts faster. */
function loadZlib() {
  return process.getBuiltinModule('node:zlib')
}

function brotli({ constants }: typeof zlib): zlib.BrotliOptions {
  return { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }
}
