import { type Address, addressParser } from 'postal-mime'
import { cleanName } from './clean-text.ts'
import { MAX_ADDRESSES, MAX_REFERENCES, type MailAddress } from './parsed-mail.ts'
import { decodeText, latin1 } from './part-content.ts'

/** Headers of one part that are read. */
const MAX_HEADERS = 1_000
/** Bytes of all headers of one part that are read. */
const MAX_HEADER_BYTES = 2_097_152
const TAB = 9
const LF = 10
const CR = 13
const SPACE = 32
const FIELD_NAME = /^([!-9;-~]{1,200})[ \t]*:/
/** The line that an mbox file puts above a mail. */
const MBOX_LINE = /^>?From /

/** The headers of a mail or a part, unfolded. Names are in lower case. */
export interface MailHeaders {
  /** The first value of this name. */
  first(name: string): string | undefined
  all(name: string): string[]
  names(): string[]
}

/**
 * Reads the headers (RFC 5322, 2.2) that start at byte `start`. `bodyStart` is the byte after the blank line, or the line
 * for which `isEnd` is true. Lines that are no header are left out between headers, and begin the body below the last.
 */
export function readHeaders(
  bytes: Uint8Array,
  start = 0,
  isEnd: (line: Uint8Array) => boolean = () => false,
): { headers: MailHeaders; bodyStart: number } {
  const values = new Map<string, string[]>()
  let open: { name: string; lines: Uint8Array[] } | undefined
  /** The first line after the last header, if it isn't a header itself. */
  let strayLine: number | undefined
  let count = 0
  let at = start

  function close(): void {
    if (!open) return
    const value = decodeText(Buffer.concat(open.lines)).replace(/^[^:]*:/, '')
    values.set(open.name, [...(values.get(open.name) ?? []), value.trim()])
    open = undefined
  }

  for (let next = at; at < bytes.length; at = next) {
    const { line, next: afterLine } = lineAt(bytes, at)
    if (isEnd(line)) break
    next = afterLine
    if (line.length === 0) {
      at = next
      break
    }
    const isKept = count < MAX_HEADERS && at - start < MAX_HEADER_BYTES
    const isFolded = line[0] === SPACE || line[0] === TAB
    if (isFolded && strayLine === undefined && at > start) {
      if (isKept) open?.lines.push(line)
      continue
    }
    close()
    const name = nameOf(line)
    if (name !== undefined) {
      count++
      strayLine = undefined
      if (isKept) open = { name: name.toLowerCase(), lines: [line] }
    } else if (at > start || !MBOX_LINE.test(startOf(line))) {
      strayLine ??= at
    }
  }
  close()
  return { headers: headersOf(values), bodyStart: strayLine ?? at }
}

function headersOf(values: Map<string, string[]>): MailHeaders {
  return {
    first: (name) => values.get(name)?.[0],
    all: (name) => values.get(name) ?? [],
    names: () => [...values.keys()],
  }
}

/** The line that starts at a byte, without its line break, and the start of the next line. */
export function lineAt(bytes: Uint8Array, start: number): { line: Uint8Array; next: number } {
  const feed = bytes.indexOf(LF, start)
  const next = feed < 0 ? bytes.length : feed + 1
  let last = feed < 0 ? bytes.length : feed
  while (last > start && bytes[last - 1] === CR) last--
  return { line: bytes.subarray(start, last), next }
}

function nameOf(line: Uint8Array): string | undefined {
  return FIELD_NAME.exec(startOf(line))?.[1]
}

/** Enough of a line to recognize it. */
function startOf(line: Uint8Array): string {
  return latin1(line.subarray(0, 256))
}

const MAX_ID_LENGTH = 500
/** Characters of one header of message ids that are read. */
const MAX_IDS_LENGTH = 262_144
const BRACKETED = /<([^<>\s]{1,500})>/g
const QUOTED_OR_COMMENT = /"(?:[^"\\]|\\.)*"|\([^()]*\)/g
const SEPARATORS = /[\s<>(),;"]+/

/** The first message id of a header, with angle brackets. */
export function readMessageId(header: string | undefined): string | null {
  return readMessageIds([header ?? ''])[0] ?? null
}

/**
 * The message ids of some headers (RFC 5322, 3.6.4), with angle brackets, each once, in order. Of too many, the first
 * and the last are kept: the oldest begins the thread, the newest are answered. Ids that some programs write without
 * brackets count when there are no others.
 */
export function readMessageIds(headers: string[]): string[] {
  const text = headers.map((header) => header.slice(0, MAX_IDS_LENGTH)).join(' ')
  const bracketed = [...text.matchAll(BRACKETED)].map(([, id = '']) => id)
  const candidates =
    bracketed.length > 0 ? bracketed : text.split(SEPARATORS).filter((id) => id.includes('@'))
  const printable = candidates.map((id) => id.toWellFormed().replace(/\p{Cc}/gu, ''))
  const valid = printable.filter((id) => id !== '' && id.length <= MAX_ID_LENGTH)
  const ids = [...new Set(valid)].map((id) => `<${id}>`)
  return ids.length <= MAX_REFERENCES ? ids : [...ids.slice(0, 1), ...ids.slice(1 - MAX_REFERENCES)]
}

/** Characters of one header of addresses that are read. */
const MAX_ADDRESSES_LENGTH = 131_072
const MAX_NAME_LENGTH = 200
/** RFC 5321, 4.5.3.1. */
const MAX_ADDRESS_LENGTH = 254
/** One `@` between characters that are allowed in an address and in a header. */
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()\\,;:"\p{Cc}]{1,253}$/u
const DELIVERED_TO = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-delivered-to']

/**
 * The addresses of all headers with a name, each once, with groups resolved. Leaves out anything that isn't an address.
 */
export function addressesIn(headers: MailHeaders, ...names: string[]): MailAddress[] {
  const addresses = new Map<string, MailAddress>()
  for (const header of names.flatMap(headers.all)) {
    for (const mailbox of addressParser(cutAtComma(header), { flatten: true })) {
      const address = addressOf(mailbox)
      if (!address || addresses.has(address.address.toLowerCase())) continue
      addresses.set(address.address.toLowerCase(), address)
      if (addresses.size === MAX_ADDRESSES) return [...addresses.values()]
    }
  }
  return [...addresses.values()]
}

/** Whether From is there more than once, or names more than one address in any way: programs read different ones then. */
export function hasSeveralSenders({ all }: MailHeaders): boolean {
  const headers = all('from')
  const named = headers
    .flatMap((header) => cutAtComma(header).replace(QUOTED_OR_COMMENT, '').split(SEPARATORS))
    .filter((word) => word.includes('@'))
  return headers.length > 1 || new Set(named.map((word) => word.toLowerCase())).size > 1
}

/** The addresses the mail was delivered to, in lower case. */
export function deliveredTo(headers: MailHeaders): string[] {
  return addressesIn(headers, ...DELIVERED_TO).map(({ address }) => address.toLowerCase())
}

/** The address of `Return-Path`: an empty string for `<>`, null without the header. */
export function returnPath(headers: MailHeaders): string | null {
  const header = headers.first('return-path')
  if (header === undefined) return null
  return addressesIn(headers, 'return-path')[0]?.address ?? (/^\s*<\s*>/.test(header) ? '' : null)
}

function addressOf({ name, address = '' }: Address): MailAddress | undefined {
  const trimmed = address.trim()
  if (trimmed.length > MAX_ADDRESS_LENGTH || !ADDRESS.test(trimmed)) return undefined
  return { name: cleanName(name, MAX_NAME_LENGTH), address: trimmed }
}

function cutAtComma(header: string): string {
  if (header.length <= MAX_ADDRESSES_LENGTH) return header
  const comma = header.lastIndexOf(',', MAX_ADDRESSES_LENGTH)
  return header.slice(0, Math.max(comma, 0))
}
