/** What an id begins with, by what it names. */
export type IdPrefix =
  | 'org'
  | 'agt'
  | 'usr'
  | 'tkt'
  | 'msg'
  | 'evt'
  | 'whe'
  | 'dlv'
  | 'key'
  | 'job'
  | 'req'
  | 'ses'
  | 'lnk'
  | 'aud'
  | 'not'
  | 'act'
  | 'rpl'
  | 'svr'
  | 'viw'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** Two characters for each ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => `${ALPHABET[bits >> 5]}${ALPHABET[bits & 31]}`)
const BITS_PER_PAIR = 10
const ID_PATTERN = /^([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/**
 * A new id: the prefix, `_`, and a UUIDv7 (RFC 9562) in Crockford's base 32, 26 characters. Ids made later sort
 * later; within one millisecond a counter keeps the order.
 */
export function createId(prefix: IdPrefix, now: number): string {
  return `${prefix}_${base32(Bun.randomUUIDv7('buffer', now))}`
}

/** Whether this could be an id of that kind. What could not is treated exactly like an id that does not exist. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return ID_PATTERN.exec(value)?.[1] === prefix
}

/** The lowest id of that kind that a time (milliseconds since 1970) can have: ids of that time or later are not below it. */
export function firstIdAt(prefix: IdPrefix, time: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(Math.max(Math.floor(time), 0), 2 ** 48 - 1), 0, 6)
  return `${prefix}_${base32(bytes)}`
}

function base32(bytes: Uint8Array): string {
  let text = ''
  let window = 0
  // 128 bits do not divide by 10: two zero bits go first.
  let waiting = 2
  for (const byte of bytes) {
    window = ((window << 8) | byte) & 0x3ffff
    waiting += 8
    if (waiting >= BITS_PER_PAIR) {
      waiting -= BITS_PER_PAIR
      text += PAIRS[(window >> waiting) & 1023]
    }
  }
  return text
}
