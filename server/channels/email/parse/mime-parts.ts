import { type ParameterizedValue, readParameters } from './header-parameters.ts'
import { lineAt, type MailHeaders, readHeaders } from './mail-headers.ts'
import { latin1 } from './part-content.ts'

/** The most parts that are read. */
const MAX_PARTS = 1_000
/** How deeply multiparts can be nested. Deeper ones are treated as files. */
const MAX_DEPTH = 500
const MAX_BOUNDARY_LENGTH = 250
const DASH = 45

/** A part of a mail (RFC 2045 and 2046). Its body is still encoded. */
export interface MimePart {
  headers: MailHeaders
  /** Media type in lower case. */
  type: string
  parameters: Map<string, string>
  disposition: ParameterizedValue
  /** Transfer encoding in lower case. */
  encoding: string
  body: Uint8Array
  /** Parts of a multipart. A multipart without parts is treated as text. */
  children: MimePart[]
}

interface PartTree {
  root: MimePart
  /** How many parts were skipped because of the limit. */
  skippedParts: number
}

/** A part whose end was not found yet. */
interface OpenPart {
  part: MimePart
  bodyStart: number
  /** Set for a multipart whose parts are read. */
  boundary: string | null
}

/** The depths of the open multiparts of a boundary, outermost first: some programs use one boundary twice. */
type Depths = Map<string, number[]>

/** Splits a mail into its parts. Reads every byte once, whatever the mail says about itself. */
export function readParts(mail: Uint8Array): PartTree {
  const depths: Depths = new Map()
  const open: OpenPart[] = []
  let count = 0
  let skippedParts = 0

  function openPart(start: number, parent?: MimePart): OpenPart {
    const child = readPart(
      mail,
      start,
      parent?.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain',
      depths,
    )
    parent?.children.push(child.part)
    if (open.length >= MAX_DEPTH) child.boundary = null
    if (child.boundary !== null)
      depths.set(child.boundary, [...(depths.get(child.boundary) ?? []), open.length])
    open.push(child)
    count++
    return child
  }

  function closeBoundary(multipart: OpenPart): void {
    if (multipart.boundary !== null) depths.get(multipart.boundary)?.pop()
    multipart.boundary = null
  }

  /** Ends the open parts below a depth. */
  function closeTo(depth: number, end: number): void {
    for (const closed of open.splice(depth).reverse()) {
      closeBoundary(closed)
      closed.part.body = mail.subarray(closed.bodyStart, Math.max(closed.bodyStart, end))
    }
  }

  const root = openPart(0)
  let at = root.bodyStart
  while (at < mail.length) {
    const { line, next } = lineAt(mail, at)
    const delimiter = delimiterIn(line, depths)
    const multipart = delimiter && open[delimiter.depth]
    if (delimiter && multipart) {
      closeTo(delimiter.depth + 1, withoutLineBreak(mail, at))
      if (delimiter.isLast) closeBoundary(multipart)
      else if (count < MAX_PARTS) {
        at = openPart(next, multipart.part).bodyStart
        continue
      } else skippedParts++
    }
    at = next
  }
  closeTo(0, mail.length)
  return { root: root.part, skippedParts }
}

function readPart(mail: Uint8Array, start: number, defaultType: string, depths: Depths): OpenPart {
  const isDelimiter = (line: Uint8Array) => delimiterIn(line, depths) !== undefined
  const { headers, bodyStart } = readHeaders(mail, start, isDelimiter)
  const { value, parameters } = readParameters(headers.first('content-type'))
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(value) ? value : defaultType
  const boundary = type.startsWith('multipart/') ? parameters.get('boundary') : undefined
  const part: MimePart = {
    headers,
    type,
    parameters,
    disposition: readParameters(headers.first('content-disposition')),
    encoding: /[\w-]+/.exec(headers.first('content-transfer-encoding') ?? '')?.[0].toLowerCase() ?? '',
    body: mail.subarray(bodyStart, bodyStart),
    children: [],
  }
  const isUsable = boundary !== undefined && boundary !== '' && boundary.length <= MAX_BOUNDARY_LENGTH
  return { part, bodyStart, boundary: isUsable ? latin1(Buffer.from(boundary)).trimEnd() : null }
}

/** The open multipart that a line belongs to, when it is `--boundary` or `--boundary--` (RFC 2046, 5.1.1). */
function delimiterIn(line: Uint8Array, depths: Depths): { depth: number; isLast: boolean } | undefined {
  if (line[0] !== DASH || line[1] !== DASH || line.length > MAX_BOUNDARY_LENGTH + 100) return undefined
  const text = latin1(line).slice(2).trimEnd()
  const depth = depths.get(text)?.at(-1)
  if (depth !== undefined) return { depth, isLast: false }
  const last = text.endsWith('--') ? depths.get(text.slice(0, -2))?.at(-1) : undefined
  return last === undefined ? undefined : { depth: last, isLast: true }
}

/** The line break before a delimiter belongs to the delimiter. */
function withoutLineBreak(mail: Uint8Array, end: number): number {
  const feed = mail[end - 1] === 10 ? end - 1 : end
  return feed < end && mail[feed - 1] === 13 ? feed - 1 : feed
}
