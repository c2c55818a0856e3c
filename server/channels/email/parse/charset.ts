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
