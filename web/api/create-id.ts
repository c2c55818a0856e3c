const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const CHARACTERS = 26
/** 48 bits of time, after two zero bits that fill the first character. */
const TIME_CHARACTERS = 10

/**
 * An id created in the browser, in the format of `server/ids.ts`: the prefix and a UUIDv7 in Crockford's base 32, so that ids
 * sort by time. A message sent again under the same id isn't created twice.
 */
export function createId(prefix: 'msg' | 'not', now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, Math.floor(now / 2 ** 16))
  view.setUint16(4, now % 2 ** 16)
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70)
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80)
  const bits = (view.getBigUint64(0) << 64n) | view.getBigUint64(8)
  const characters = Array.from({ length: CHARACTERS }, (_, at) => {
    const shift = BigInt(5 * (CHARACTERS - 1 - at))
    return ALPHABET[Number((bits >> shift) & 31n)]
  })
  return `${prefix}_${characters.join('')}`
}

/** When an id was made (milliseconds since 1970). */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1
  const characters = [...id.slice(start, start + TIME_CHARACTERS)]
  return characters.reduce((time, character) => time * 32 + ALPHABET.indexOf(character), 0)
}
