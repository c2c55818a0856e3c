import type { Clock } from '../clock.ts'
import { AppError, invalid } from '../errors.ts'
import { yieldToEventLoop } from '../loop.ts'
import { parseJson } from '../requests/json-body.ts'
import { MAX_TICKETS } from './schemas.ts'

/** Work between two turns of the event loop. */
const SLICE_MS = 8
const SLICE_BYTES = 512 * 1024
/** Far more than the beginning of a body needs. */
const MAX_FRAME_BYTES = 256

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]
const OPEN = [0x5b, 0x7b]
const CLOSE = [0x5d, 0x7d]

/** A ticket as it was sent, or why it can't be read. */
type SentTicket = { value: unknown } | { refusal: AppError }

/**
 * The tickets of a body, `{"tickets": […]}`, each parsed on its own: together they could hold up everyone for a tenth of a
 * second. Throws 400 for JSON of another form, and for too many tickets.
 */
export async function readTickets(
  { clock }: { clock: Pick<Clock, 'monotonic'> },
  bytes: Uint8Array,
): Promise<SentTicket[]> {
  const { start, end } = frameOf(bytes)
  const tickets: SentTicket[] = []
  let since = clock.monotonic()
  for await (const part of partsOf(bytes, { start, end })) {
    if (tickets.length === MAX_TICKETS) {
      const detail = `Must have at most ${MAX_TICKETS} entries.`
      throw invalid([{ pointer: '/tickets', code: 'too_many', detail }])
    }
    tickets.push(parsed(part))
    if (clock.monotonic() - since < SLICE_MS) continue
    await yieldToEventLoop()
    since = clock.monotonic()
  }
  return tickets
}

/** SHA-256 of a body, in hex. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    hasher.update(bytes.subarray(at, at + SLICE_BYTES))
    await yieldToEventLoop()
  }
  return hasher.digest('hex')
}

/** Malformed JSON is the fault of the whole body. */
function parsed(part: Uint8Array): SentTicket {
  try {
    return { value: parseJson(part) }
  } catch (error) {
    if (error instanceof AppError && error.code !== 'malformed_json') return { refusal: error }
    throw error
  }
}

/** Where the entries of the list are. */
function frameOf(bytes: Uint8Array): { start: number; end: number } {
  const head = Buffer.from(bytes.subarray(0, MAX_FRAME_BYTES)).toString('latin1')
  const tail = Buffer.from(bytes.subarray(-MAX_FRAME_BYTES)).toString('latin1')
  const before = /^\s*\{\s*"tickets"\s*:\s*\[\s*/.exec(head)?.[0]
  const after = /\s*\]\s*\}\s*$/.exec(tail)?.[0]
  if (before !== undefined && after !== undefined && before.length + after.length <= bytes.length) {
    return { start: before.length, end: bytes.length - after.length }
  }
  // Tells what isn't JSON from what has another form.
  parseJson(bytes)
  const detail = 'Send an object with nothing but tickets, which is a list.'
  throw invalid([{ pointer: '/tickets', code: 'wrong_type', detail }])
}

/** The entries between the commas of the list. */
async function* partsOf(
  bytes: Uint8Array,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Uint8Array, void, void> {
  if (start === end) return
  let [from, level, pause] = [start, 0, start + SLICE_BYTES]
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) at = endOfText(bytes, at, end)
    else if (byte === COMMA && level === 0) {
      yield bytes.subarray(from, at)
      from = at + 1
    } else if (OPEN.includes(byte)) level += 1
    else if (CLOSE.includes(byte)) level -= 1
    if (at < pause) continue
    await yieldToEventLoop()
    pause = at + SLICE_BYTES
  }
  yield bytes.subarray(from, end)
}

/** The quote that ends the text that begins at `start`. */
function endOfText(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  for (;;) {
    at = bytes.indexOf(QUOTE, at + 1)
    if (at < 0 || at >= end) return end
    let backslashes = 0
    while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return at
  }
}
