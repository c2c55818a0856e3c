import type { BunFile } from 'bun'

interface ImageSize {
  width: number
  height: number
}

/** A JPEG can have this much before its dimensions: previews, color profiles. */
const MAX_JPEG_HEAD_BYTES = 2 * 1024 * 1024
const MAX_PIXELS_PER_SIDE = 100_000

/**
 * The dimensions of an image as a browser shows it, from the first bytes of the file; undefined when they don't tell. The
 * page reserves the space with them and scales the image itself: the server makes no thumbnails.
 */
export async function readImageSize(
  type: string,
  head: Uint8Array,
  file: BunFile,
): Promise<ImageSize | undefined> {
  const size = sizeOf(type, head)
  if (size || type !== 'image/jpeg' || file.size <= head.byteLength) return size
  return sizeOf(type, await file.slice(0, MAX_JPEG_HEAD_BYTES).bytes())
}

function sizeOf(type: string, head: Uint8Array): ImageSize | undefined {
  try {
    const size = READERS[type]?.(Buffer.from(head.buffer, head.byteOffset, head.byteLength))
    return size && isPlausible(size.width) && isPlausible(size.height) ? size : undefined
  } catch (error) {
    // Reading past the end: the file is cut off.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const READERS: Record<string, (bytes: Buffer) => ImageSize | undefined> = {
  'image/png': (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  'image/gif': (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  'image/webp': webpSize,
  'image/jpeg': jpegSize,
  'image/avif': avifSize,
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(bytes: Buffer): ImageSize | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}

/** ITU T.81, annex B: segments up to the first frame header. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let isTurned = false
  for (let at = 2; bytes.readUInt8(at) === 0xff; ) {
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return isTurned ? { width: height, height: width } : { width, height }
    }
    if (marker === 0xe1) isTurned ||= isTurnedByExif(bytes, at + 4)
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** Whether the orientation tag says that the image is shown turned by 90 degrees (CIPA DC-008, 4.6.4). */
function isTurnedByExif(bytes: Buffer, start: number): boolean {
  if (bytes.toString('latin1', start, start + 6) !== 'Exif\0\0') return false
  const tiff = start + 6
  const isLittle = bytes.toString('latin1', tiff, tiff + 2) === 'II'
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const directory = tiff + (isLittle ? bytes.readUInt32LE(tiff + 4) : bytes.readUInt32BE(tiff + 4))
  for (let entry = 0; entry < short(directory); entry += 1) {
    const at = directory + 2 + entry * 12
    if (short(at) === 0x0112) return short(at + 8) >= 5
  }
  return false
}

/** The `ispe` property of the first image item (ISO/IEC 23008-12, 6.5.3). */
function avifSize(bytes: Buffer): ImageSize | undefined {
  const at = bytes.indexOf('ispe', 0, 'latin1')
  return at < 0 ? undefined : { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) }
}

function isPlausible(side: number): boolean {
  return side > 0 && side <= MAX_PIXELS_PER_SIDE
}
