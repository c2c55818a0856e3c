import { AppError, invalid } from '../errors.ts'
import { type Arriving, arrivingBodies, refused, senderOf } from './arriving-bodies.ts'
import { pointerInside } from './validation-errors.ts'

/** 256 KiB. Section 8 of the specification sets no limit. */
const MAX_BODY_BYTES = 256 * 1024
/**
 * The rest of a body that is too large is dropped as it comes, up to this size. If the connection closed instead, a proxy
 * that is still sending would answer 502, and its client would never see the 413.
 */
const MAX_DROPPED_BYTES = 32 * 1024 * 1024
/**
 * 1 MiB: room for the longest text of a message beside the other fields. JSON can escape a character with twelve bytes.
 */
const MAX_TEXT_BODY_BYTES = MAX_BODY_BYTES + 65_536 * 12

/** 8 MiB. */
const MAX_TICKETS_BODY_BYTES = 8 * 1024 * 1024

/**
 * Far more than any schema needs. Both are counted in the bytes, because parsing many fields or levels takes much longer
 * than parsing a long text.
 */
const MAX_LEVELS = 32
const MAX_SEPARATORS = 30_000

/** What the headers say about a body that isn't read yet. */
interface AnnouncedBody {
  contentType: string | null
  contentEncoding: string | null
  maxBytes: number
}

type Headed = Pick<Arriving, 'request' | 'set'>

/**
 * Elysia `parse` hook that leaves the body unread, because access is checked later. Bun holds back the sender of an
 * unread body, and discards the rest once the response is sent.
 */
export function arrive(arriving: Headed): AnnouncedBody {
  return arriveUpTo(arriving, MAX_BODY_BYTES)
}

/** The same for a body with the text of a message, a note or a draft. */
export function arriveWithText(arriving: Headed): AnnouncedBody {
  return arriveUpTo(arriving, MAX_TEXT_BODY_BYTES)
}

/** The same for tickets with their history. */
export function arriveWithTickets(arriving: Headed): AnnouncedBody {
  return arriveUpTo(arriving, MAX_TICKETS_BODY_BYTES)
}

function arriveUpTo({ request, set }: Headed, maxBytes: number): AnnouncedBody {
  const { headers } = request
  if (isTooLarge(request, MAX_DROPPED_BYTES)) set.headers.connection = 'close'
  return {
    contentType: headers.get('content-type'),
    contentEncoding: headers.get('content-encoding'),
    maxBytes,
  }
}

/**
 * Elysia `transform` hook after the permission check: reads the body and parses it as JSON. Throws 400, 408, 413, 415, or
 * 503 while too many bodies are on their way.
 */
export async function jsonBody(context: Arriving & { body: unknown }): Promise<void> {
  const bytes = await readJson(context)
  try {
    context.body = parseJson(bytes)
  } catch (error) {
    throw error instanceof AppError ? refused(context, error) : error
  }
}

/** The same for a body that its route parses in parts. Throws the same, but for 400. */
export async function jsonBytes(context: Arriving & { body: unknown }): Promise<void> {
  context.body = await readJson(context)
}

async function readJson(context: Arriving & { body: unknown }): Promise<Uint8Array> {
  const { contentType, contentEncoding, maxBytes } = context.body as AnnouncedBody
  if (!isJson(contentType)) {
    throw unsupported('Send the body as Content-Type: application/json, in UTF-8.')
  }
  if (!isPlain(contentEncoding)) throw unsupported('Send the body without Content-Encoding, not compressed.')
  const bytes = await readBody(context, maxBytes)
  if (!bytes) {
    throw new AppError(413, 'body_too_large', `The body may have at most ${maxBytes} bytes.`)
  }
  return bytes
}

/**
 * Reads a body once its sender is known. Returns undefined when it exceeds the limit: the connection then closes after
 * the response (RFC 9110, section 15.5.14). Throws 400, 408, or 503.
 */
export async function readBody(
  context: Arriving,
  maxBytes = MAX_BODY_BYTES,
): Promise<Uint8Array | undefined> {
  const { request, set } = context
  const announced = announcedBytes(request)
  const most = announced ?? maxBytes
  const bytes = isTooLarge(request, maxBytes)
    ? undefined
    : await arrivingBodies(context.server).receive(senderOf(context), most, () =>
        orIncomplete(announced === undefined ? readAtMost(request, most) : request.bytes()),
      )
  if (!bytes && (announced ?? MAX_DROPPED_BYTES) >= MAX_DROPPED_BYTES) set.headers.connection = 'close'
  return bytes
}

/** Reading fails when the client closes the connection. */
async function orIncomplete<Body>(reading: Promise<Body>): Promise<Body> {
  try {
    return await reading
  } catch {
    throw new AppError(400, 'incomplete_body', 'The body is incomplete. Send the request again.')
  }
}

function isTooLarge(request: Request, maxBytes: number): boolean {
  return (announcedBytes(request) ?? 0) > maxBytes
}

/** Undefined for a body in chunks. */
export function announcedBytes({ headers }: Request): number | undefined {
  const length = headers.get('content-length')
  return length === null ? undefined : Number(length)
}

function unsupported(message: string): AppError {
  return new AppError(415, 'unsupported_media_type', message)
}

async function readAtMost(request: Request, most: number): Promise<Uint8Array | undefined> {
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.byteLength
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function isJson(contentType: string | null): boolean {
  return contentType !== null && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType)
}

function isPlain(contentEncoding: string | null): boolean {
  return contentEncoding === null || contentEncoding.toLowerCase() === 'identity'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws 400 for what isn't JSON, for text that can't be stored, and for too many fields or levels. */
export function parseJson(bytes: Uint8Array): unknown {
  refuseManyValues(bytes)
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw malformed()
  }
  // Only an escape can bring in what valid UTF-8 and JSON exclude: NUL and lone surrogates.
  const broken = text.includes('\\u') ? pathOfBrokenText(value) : undefined
  if (broken) throw invalid([{ pointer: pointerTo(broken), ...BROKEN_TEXT }])
  return value
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Throws 400. Every entry of a list has a comma, and every field a colon and a comma, but for the first ones. */
function refuseManyValues(bytes: Uint8Array): void {
  let [separators, level, deepest] = [0, 0, 0]
  let isInText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (isInText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) isInText = false
    } else if (byte === QUOTE) isInText = true
    else if (byte === COMMA || byte === COLON) separators += 1
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      level += 1
      if (level > deepest) deepest = level
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) level -= 1
  }
  const isTooDeep = deepest > MAX_LEVELS
  if (!isTooDeep && separators <= MAX_SEPARATORS) return
  if (isInText || level !== 0) throw malformed()
  throw invalid([
    isTooDeep
      ? {
          pointer: '',
          code: 'too_deep',
          detail: `Must have at most ${MAX_LEVELS} levels of lists and objects.`,
        }
      : { pointer: '', code: 'too_many', detail: 'Must have fewer fields and entries.' },
  ])
}

function malformed(): AppError {
  return new AppError(400, 'malformed_json', 'The body is not valid JSON in UTF-8.')
}

/** The names on the way to it, the last one first; undefined if all text can be stored. */
function pathOfBrokenText(value: unknown): string[] | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    if (!isStorable(name)) return []
    const path = pathOfBrokenText(inner)
    if (path) return [...path, name]
  }
  return undefined
}

function pointerTo(path: string[]): string {
  return path.reduceRight((pointer, name) => pointerInside(pointer, name), '')
}

const BROKEN_TEXT = {
  code: 'invalid_text',
  detail: 'Must not contain the NUL character or half of a surrogate pair.',
}

/** Text that every database can store and every client can read. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
