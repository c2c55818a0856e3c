import { crc32, deflateSync } from 'node:zlib'

// Images of 3 by 2 pixels, as much of each as tells its type and dimensions.

export const PNG = bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', u32(3), u32(2), '\x08\x06\0\0\0')
export const GIF = bytes('GIF89a\x03\0\x02\0\x80\0\0')
export const WEBP = bytes('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f', [0x02, 0x40, 0, 0], '\0\0\0\0')
export const WEBP_LARGE = bytes('RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x02\0\0\x01\0\0')
export const WEBP_LOSSY = bytes('RIFF\x1a\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x03\0\x02\0')
export const AVIF = bytes('\0\0\0\x1cftypavif', '\0'.repeat(40), '\0\0\0\x14ispe\0\0\0\0', u32(3), u32(2))
export const JPEG = jpeg()
/** A photo of a phone held upright: stored lying, shown turned. */
export const JPEG_TURNED = jpeg(
  segment(0xe1, 'Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0'),
)
/** A preview comes before the dimensions, longer than what is read at first. */
export const JPEG_WITH_PREVIEW = jpeg(
  segment(0xe2, 'x'.repeat(60_000)),
  segment(0xe2, 'x'.repeat(60_000)),
  segment(0xe2, 'x'.repeat(60_000)),
)
/** Cut off before the dimensions. */
export const JPEG_CUT_OFF = JPEG.slice(0, 12)

function jpeg(...before: number[][]): Uint8Array<ArrayBuffer> {
  const frame = segment(0xc0, '\x08\0\x02\0\x03\x01\x01\x11\0')
  return bytes([0xff, 0xd8], segment(0xe0, 'JFIF\0\x01\x01'), ...before, frame, [0xff, 0xd9])
}

function segment(marker: number, content: string): number[] {
  const length = content.length + 2
  return [0xff, marker, length >> 8, length & 255, ...Buffer.from(content, 'latin1')]
}

function u32(value: number): number[] {
  return [0, 0, value >> 8, value & 255]
}

function bytes(...parts: (string | number[])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)),
  )
}

/** A whole image with a gradient, which a browser can show. */
export function paintedPng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc(height * (width * 3 + 1))
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (width * 3 + 1) + 1 + x * 3
      rows.set([Math.round((x / width) * 255), Math.round((y / height) * 255), 160], at)
    }
  }
  const header = bytes(u32(width), u32(height), '\x08\x02\0\0\0')
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', bytes())]
  return Uint8Array.from(Buffer.concat([bytes('\x89PNG\r\n\x1a\n'), ...parts]))
}

function chunk(type: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), content])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(content.length)
  framed.set(named, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}
