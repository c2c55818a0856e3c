const SIGNATURE = 0x223e9f78
const MESSAGE = 1
const ATTACHMENT = 2
/** Attributes of [MS-OXTNEF], 2.1.3.2. */
const VERSION = 0x00089006
const CODE_PAGE = 0x00069007
const MESSAGE_CLASS = 0x00078008
const SUBJECT = 0x00018004
const RENDERING = 0x00069002
const TITLE = 0x00018010
const DATA = 0x0006800f

/** The `winmail.dat` that Outlook sends instead of files: a subject and the files inside. */
export function makeTnef(subject: string, files: { name: string; bytes: Uint8Array }[]): Buffer {
  const head = Buffer.alloc(6)
  head.writeUInt32LE(SIGNATURE)
  head.writeUInt16LE(1, 4)
  return Buffer.concat([
    head,
    attribute(MESSAGE, VERSION, numbers(0x10000)),
    attribute(MESSAGE, CODE_PAGE, numbers(1252, 0)),
    attribute(MESSAGE, MESSAGE_CLASS, text('IPM.Microsoft Mail.Note')),
    attribute(MESSAGE, SUBJECT, text(subject)),
    ...files.flatMap(({ name, bytes }) => [
      attribute(ATTACHMENT, RENDERING, rendering()),
      attribute(ATTACHMENT, TITLE, text(name)),
      attribute(ATTACHMENT, DATA, Buffer.from(bytes)),
    ]),
  ])
}

/** Its level, id, length, data and the sum of its bytes. */
function attribute(level: number, id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUInt8(level)
  head.writeUInt32LE(id, 1)
  head.writeUInt32LE(data.length, 5)
  const sum = Buffer.alloc(2)
  sum.writeUInt16LE(data.reduce((total, byte) => (total + byte) & 0xffff, 0))
  return Buffer.concat([head, data, sum])
}

/** A file, at no place in the text. */
function rendering(): Buffer {
  const data = Buffer.alloc(14)
  data.writeUInt16LE(1)
  data.writeInt32LE(-1, 2)
  return data
}

function numbers(...values: number[]): Buffer {
  const data = Buffer.alloc(values.length * 4)
  for (const [n, value] of values.entries()) data.writeUInt32LE(value, n * 4)
  return data
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`, 'latin1')
}
