import { decodeWords } from 'postal-mime'
import { decodeText } from './part-content.ts'

/** Longer values are cut. */
const MAX_VALUE_LENGTH = 16_384
/** `filename*0*` is the first part of `filename`, percent-encoded. */
const CONTINUED = /^(.+?)\*(?:(\d{1,3})(\*)?)?$/
const CHARSET_AND_LANGUAGE = /^([^']{0,40})'[^']{0,40}'/
const PERCENT_ENCODED = /%([0-9a-f]{2})/gi

/** A value such as `text/plain; charset=utf-8`. */
export interface ParameterizedValue {
  /** In lower case, without parameters. */
  value: string
  /** By lower-case name. The first of several with one name counts. */
  parameters: Map<string, string>
}

/** Splits a value of `Content-Type` or `Content-Disposition` (RFC 2045, 5.1) and decodes its parameters (RFC 2231, RFC 2047). */
export function readParameters(header = ''): ParameterizedValue {
  const [value = '', ...rest] = splitAtSemicolons(header.slice(0, MAX_VALUE_LENGTH))
  const raw = new Map<string, string>()
  for (const part of rest) {
    const equals = part.indexOf('=')
    const name = part.slice(0, equals).trim().toLowerCase()
    if (equals > 0 && name && !raw.has(name)) raw.set(name, part.slice(equals + 1))
  }
  return { value: withoutComment(value).toLowerCase(), parameters: decodeParameters(raw) }
}

/** Splits outside quoted strings. */
function splitAtSemicolons(header: string): string[] {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < header.length; at++) {
    const character = header[at]
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === ';' && !isQuoted) {
      parts.push(header.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, header.slice(start)]
}

function decodeParameters(raw: Map<string, string>): Map<string, string> {
  const decoded = new Map<string, string>()
  const pieces = new Map<string, { order: number; text: string; isEncoded: boolean }[]>()
  for (const [name, value] of raw) {
    const [, base, order = '0', star] = CONTINUED.exec(name) ?? []
    if (base === undefined) {
      decoded.set(name, decodeWords(unquoted(value)))
      continue
    }
    const isEncoded = star === '*' || name === `${base}*`
    const piece = { order: Number(order), text: unquoted(value), isEncoded }
    pieces.set(base, [...(pieces.get(base) ?? []), piece])
  }
  // The encoded form is preferred over the plain one.
  for (const [name, parts] of pieces) decoded.set(name, joinPieces(parts))
  return decoded
}

/** Joins the bytes of all pieces first: a character can be spread over two of them. */
function joinPieces(pieces: { order: number; text: string; isEncoded: boolean }[]): string {
  const [first, ...rest] = pieces.toSorted((one, other) => one.order - other.order)
  const [prefix = '', charset] = (first?.isEncoded && CHARSET_AND_LANGUAGE.exec(first.text)) || []
  const texts = first ? [{ ...first, text: first.text.slice(prefix.length) }, ...rest] : []
  const bytes = texts.map(({ text, isEncoded }) => (isEncoded ? percentDecoded(text) : Buffer.from(text)))
  return decodeText(Buffer.concat(bytes), charset)
}

function percentDecoded(text: string): Buffer {
  const utf8 = Buffer.from(text).toString('latin1')
  const decoded = utf8.replace(PERCENT_ENCODED, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(decoded, 'latin1')
}

/** The content of a quoted string, or the bare value. */
function unquoted(value: string): string {
  const text = value.trim()
  if (!text.startsWith('"')) return withoutComment(text)
  let content = ''
  for (let at = 1; at < text.length && text[at] !== '"'; at++) {
    if (text[at] === '\\' && at + 1 < text.length) at++
    content += text[at]
  }
  return content
}

/** A comment follows a blank: `Invoice(1).pdf` has none. */
function withoutComment(value: string): string {
  const text = value.trim()
  const start = text.search(/(?:^|\s)\(/)
  return start < 0 || !text.endsWith(')') ? text : text.slice(0, start).trim()
}
