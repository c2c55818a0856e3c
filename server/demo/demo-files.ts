import { crc32, deflateSync } from 'node:zlib'

/** Files of the demo's mails by name. All of them are made here. */
const FILES = {
  'parcelbird.png': () => png(180, 48, logoColor),
  'crushed-box.png': () => png(360, 240, boxColor),
  'label.png': () => png(240, 320, labelColor),
  'memo.wav': () => wave(3),
  'printer.log': () => Buffer.from(PRINTER_LOG),
  'invoice.pdf': () => pdf(['Invoice 2026-1184', 'Vase "Alba", hand-blown, 1 piece', 'Total: EUR 148.00']),
  'claim-form.pdf': () => pdf(['Claim for a damaged parcel', 'Carrier:', 'Order:', 'Date and signature:']),
}

const SAMPLES_PER_SECOND = 8_000
/** Half a second each. */
const NOTES_HZ = [440, 494, 523, 494, 440, 392]

export type DemoFileName = keyof typeof FILES

export function demoFile(name: DemoFileName): Uint8Array {
  return FILES[name]()
}

type Color = readonly [red: number, green: number, blue: number]

const WHITE: Color = [255, 255, 255]
const INK: Color = [34, 40, 49]
const BLUE: Color = [37, 99, 235]
const CARDBOARD: Color = [196, 154, 108]
const EDGE: Color = [150, 111, 72]
const TAPE: Color = [226, 205, 170]

/** A bird of two triangles, and a bar for the name. */
function logoColor(x: number, y: number): Color {
  if (x < 44 && y > 10 && y < 40 && x > 4 && Math.abs(y - 24) < (x - 4) / 3) return BLUE
  const isLetter = x > 56 && x < 168 && y > 18 && y < 32 && x % 14 < 9
  return isLetter ? INK : WHITE
}

/** A parcel with a dent in its upper right corner. */
function boxColor(x: number, y: number): Color {
  const isBox = x > 60 && x < 300 && y > 50 && y < 210
  const dent = (x - 230) * 0.9 + (y % 18) - (y - 50) * 1.3
  if (!isBox || dent > 0) return [232, 234, 237]
  if (dent > -14 || x < 64 || x > 296 || y > 206) return EDGE
  return Math.abs(x - 170) < 16 ? TAPE : CARDBOARD
}

/** Two bar codes, of which the right side is cut off. */
function labelColor(x: number, y: number): Color {
  if (x > 196) return [238, 238, 238]
  const isBars = (y > 40 && y < 120) || (y > 220 && y < 290)
  const isText = y > 140 && y < 200 && y % 16 < 6 && x > 20 && x < 150
  return isText || (isBars && x > 16 && (x * 7) % 11 < 5) ? INK : WHITE
}

/** A picture of 8-bit RGB (PNG, third edition). */
function png(width: number, height: number, colorAt: (x: number, y: number) => Color): Uint8Array {
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y += 1) {
    // Each row begins with its filter, 0 for none.
    for (let x = 0; x < width; x += 1) rows.set(colorAt(x, y), y * (1 + width * 3) + 1 + x * 3)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = chunk('IDAT', deflateSync(rows))
  return Buffer.concat([signature, chunk('IHDR', header), data, chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const whole = Buffer.alloc(content.length + 8)
  whole.writeUInt32BE(data.length, 0)
  content.copy(whole, 4)
  whole.writeUInt32BE(crc32(content), whole.length - 4)
  return whole
}

/** A melody of so many seconds (RIFF WAVE, 8-bit mono PCM). */
function wave(seconds: number): Uint8Array {
  const samples = seconds * SAMPLES_PER_SECOND
  const bytes = Buffer.alloc(44 + samples)
  bytes.write('RIFF')
  bytes.writeUInt32LE(36 + samples, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(SAMPLES_PER_SECOND, 24)
  bytes.writeUInt32LE(SAMPLES_PER_SECOND, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(samples, 40)
  for (let at = 0; at < samples; at += 1) {
    const note = NOTES_HZ[Math.floor((at * 2) / SAMPLES_PER_SECOND) % NOTES_HZ.length] ?? 0
    bytes[44 + at] = 128 + Math.round(30 * Math.sin((2 * Math.PI * note * at) / SAMPLES_PER_SECOND))
  }
  return bytes
}

/** One page with these lines (PDF 1.4). */
function pdf(lines: string[]): Uint8Array {
  const shown = lines.map((line) => `(${line.replaceAll(/[()\\]/g, '\\$&')}) Tj 0 -28 Td`).join('\n')
  const content = `BT /F1 16 Tf 72 760 Td\n${shown}\nET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const places = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${places}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

const PRINTER_LOG = `07:58:02 spooler  ZD421 ready, 203 dpi, 102 x 152 mm
07:58:41 job 4411 received, 1 page, 812 x 1218 dots
07:58:41 job 4411 warning: page is wider than the media (864 dots)
07:58:43 job 4411 printed
07:59:10 job 4412 received, 1 page, 864 x 1218 dots
07:59:10 job 4412 error: right margin cut off by 52 dots
07:59:12 job 4412 printed
`
