/** Labels that mail programs write and the Encoding Standard does not list. */
const ALIASES = new Map([
  ['cp932', 'shift_jis'],
  ['windows-932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['ms936', 'gbk'],
  ['windows-936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['uhc', 'euc-kr'],
  ['cp950', 'big5'],
  ['windows-950', 'big5'],
  ['cp874', 'windows-874'],
  ['cp50220', 'iso-2022-jp'],
  ['cp50221', 'iso-2022-jp'],
  ['cp51932', 'euc-jp'],
])
/** Labels that say nothing, though the text has 8-bit characters. */
const UNDECLARED = new Set([
  '',
  'us-ascii',
  'ascii',
  'ansi_x3.4-1968',
  'unknown-8bit',
  'x-unknown',
  'default',
])
/** The escape sequences that switch ISO-2022-JP to Japanese. */
const JAPANESE_ESCAPES = ['\x1b$B', '\x1b$@']
const REPLACEMENT = /\ufffd/g
const NOT_ASCII = /[^\p{ASCII}]/gu

/**
 * Decodes text in its declared charset. Undeclared and unknown charsets are read as UTF-8 when the bytes are valid
 * UTF-8, otherwise as windows-1252; so is text that calls itself UTF-8 and mostly isn't.
 */
export function decodeText(bytes: Uint8Array, label = ''): string {
  const name = label.trim().toLowerCase()
  const decoder = UNDECLARED.has(name) ? undefined : decoderOf(ALIASES.get(name) ?? name)
  if (decoder === undefined) return decodeUndeclared(bytes)
  const text = decoder.decode(bytes)
  return decoder.encoding === 'utf-8' && isMostlyReplaced(text) ? decodeUndeclared(bytes) : text
}

function decodeUndeclared(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes) ?? new TextDecoder('windows-1252').decode(bytes)
  return JAPANESE_ESCAPES.some((mark) => text.includes(mark))
    ? new TextDecoder('iso-2022-jp').decode(bytes)
    : text
}

/** Undefined when the bytes are not valid UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function decoderOf(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

/** Whether more characters were lost than read. */
function isMostlyReplaced(text: string): boolean {
  const lost = text.match(REPLACEMENT)?.length ?? 0
  return lost > 0 && lost * 2 > (text.match(NOT_ASCII)?.length ?? 0)
}

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

/** One character for each byte. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
