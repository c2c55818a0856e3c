/** Bytes that are decoded at once, so that a large file is never in memory twice. */
const CHUNK_BYTES = 1_048_576
const LF = 10
const NOT_BASE64 = /[^A-Za-z0-9+/=]+/g
const SOFT_BREAK = /=[ \t]*\r?\n/g
const TRAILING_BLANKS = /[ \t]+(?=\r?\n)/g
const QUOTED_BYTE = /=([0-9A-Fa-f]{2})/g

/** Decodes a body (RFC 2045, 6) piece by piece. Bytes with an unknown encoding are returned unchanged. */
export function* decodedChunks(body: Uint8Array, encoding: string): Generator<Uint8Array> {
  switch (encoding) {
    case 'base64':
      return yield* decodeBase64(body)
    case 'quoted-printable':
      return yield* decodeQuotedPrintable(body)
    default:
      yield body
  }
}

function* decodeBase64(body: Uint8Array): Generator<Uint8Array> {
  let rest = ''
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const text = rest + latin1(body.subarray(at, at + CHUNK_BYTES)).replace(NOT_BASE64, '')
    // Some programs pad every line: decoding stops at padding and must continue after it.
    const units = text.split(/=+/)
    const last = units.pop() ?? ''
    for (const unit of units) if (unit) yield Buffer.from(unit, 'base64')
    const whole = last.length - (last.length % 4)
    if (whole > 0) yield Buffer.from(last.slice(0, whole), 'base64')
    rest = last.slice(whole)
  }
  if (rest) yield Buffer.from(rest, 'base64')
}

function* decodeQuotedPrintable(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; ) {
    const end = chunkEnd(body, at)
    const text = latin1(body.subarray(at, end))
      .replace(TRAILING_BLANKS, '')
      .replace(SOFT_BREAK, '')
      .replace(QUOTED_BYTE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    yield Buffer.from(text, 'latin1')
    at = end
  }
}

/** Ends a chunk at a line break, so that no escape and no soft break is cut. */
function chunkEnd(body: Uint8Array, start: number): number {
  if (body.length - start <= CHUNK_BYTES) return body.length
  const feed = body.indexOf(LF, start + CHUNK_BYTES)
  return feed < 0 ? body.length : feed + 1
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
