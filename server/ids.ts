/** Prefixes of ids, one per resource. */
export type IdPrefix =
  | 'agt'
  | 'usr'
  | 'tkt'
  | 'msg'
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
  | 'att'
  | 'snd'
  | 'mbx'
  | 'eml'
  | 'wgt'
  | 'vis'
  | 'bot'
  | 'upd'
  | 'tgf'
  | 'ntc'
  | 'bkp'
  | 'mov'
  | 'psh'
  | 'ntf'
  | 'sug'
  | 'grt'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** Two characters encode ten bits. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => `${ALPHABET[bits >> 5]}${ALPHABET[bits & 31]}`)
const ORGANIZATION_CHARACTERS = 12
const ID_PATTERN = /^([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/**
 * A new id: the prefix, `_`, and a UUIDv7 (RFC 9562) in Crockford's base 32, 26 characters. Ids made later sort
 * later; within one millisecond a counter keeps the order.
 */
export function createId(prefix: IdPrefix, now: number): string {
  return `${prefix}_${base32(Bun.randomUUIDv7('buffer', now))}`
}

/**
 * A new organization id with 60 random bits. It is short because nearly every row and index contains it. Older ones have
 * 30 bits, 6 characters.
 */
export function createOrganizationId(now: number): string {
  return `org_${base32(Bun.randomUUIDv7('buffer', now)).slice(-ORGANIZATION_CHARACTERS)}`
}

/** Whether a value has the format of an id. Callers treat a malformed id like an unknown one. */
export function isId(prefix: IdPrefix, value: string): boolean {
  return ID_PATTERN.exec(value)?.[1] === prefix
}

/** The lowest id for a time in milliseconds since 1970. Ids created then or later sort at or after it. */
export function firstIdAt(prefix: IdPrefix, time: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.min(Math.max(Math.floor(time), 0), 2 ** 48 - 1), 0, 6)
  return `${prefix}_${base32(bytes)}`
}

/** When an id was made, in milliseconds since 1970: the first 48 of its bits. */
export function timeOfId(id: string): number {
  let time = 0
  // Ten characters are 50 bits, and the first two of them are zero.
  for (const character of id.slice(4, 14)) time = time * 32 + ALPHABET.indexOf(character)
  return time
}

function base32(bytes: Uint8Array): string {
  // 128 isn't a multiple of 10, so two zero bits come first: six bytes are five pairs, and each five more are four.
  let text = PAIRS[byteAt(bytes, 0)] + fourPairs(bytes, 1)
  for (let at = 6; at < bytes.length; at += 5) text += fourPairs(bytes, at)
  return text
}

/** Forty bits. */
function fourPairs(bytes: Uint8Array, at: number): string {
  const high = (byteAt(bytes, at) << 12) | (byteAt(bytes, at + 1) << 4) | (byteAt(bytes, at + 2) >> 4)
  const low = ((byteAt(bytes, at + 2) & 15) << 16) | (byteAt(bytes, at + 3) << 8) | byteAt(bytes, at + 4)
  return `${PAIRS[high >> 10]}${PAIRS[high & 1023]}${PAIRS[low >> 10]}${PAIRS[low & 1023]}`
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0
}
