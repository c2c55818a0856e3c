import { decodeText } from './charset.ts'

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
    const found = lineAt(bytes, at)
    const { line } = found
    if (isEnd(line)) break
    next = found.next
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
    } else if (at > start || !MBOX_LINE.test(asciiOf(line))) {
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
  return FIELD_NAME.exec(asciiOf(line))?.[1]
}

/** Enough of a line to recognize it. */
function asciiOf(line: Uint8Array): string {
  return Buffer.from(line.buffer, line.byteOffset, Math.min(line.length, 256)).toString('latin1')
}
