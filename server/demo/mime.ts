/** A part of a mail: its header fields, and the text or bytes, or the parts inside it. */
export interface MimePart {
  type: string
  headers?: Record<string, string>
  content: Uint8Array | string | MimePart[]
}

const LINE = 76
/** Code points of one encoded word, which may be 75 characters long (RFC 2047). */
const WORD = 10

/** A mail as bytes (RFC 5322, RFC 2045). Values of headers are ASCII: `encodedWords` makes them so. */
export function mimeMail(headers: Record<string, string>, body: MimePart): Uint8Array {
  return Buffer.from(`${fields({ ...headers, 'MIME-Version': '1.0' })}${written(body, 'part')}`)
}

/** Text for a header: as it is if it is ASCII, otherwise encoded. */
export function encodedWords(text: string): string {
  if (/^[\w .,:;/?!'+-]*$/.test(text)) return text
  const characters = [...text]
  const words: string[] = []
  for (let start = 0; start < characters.length; start += WORD) {
    const word = characters.slice(start, start + WORD).join('')
    words.push(`=?utf-8?B?${Buffer.from(word).toString('base64')}?=`)
  }
  return words.join('\r\n ')
}

function written({ type, headers = {}, content }: MimePart, boundary: string): string {
  if (Array.isArray(content)) {
    const inner = content.map(
      (part, index) => `--${boundary}\r\n${written(part, `${boundary}-${index}`)}\r\n`,
    )
    const fieldsOfAll = fields({ 'Content-Type': `${type}; boundary="${boundary}"`, ...headers })
    return `${fieldsOfAll}\r\n${inner.join('')}--${boundary}--\r\n`
  }
  const base64 = Buffer.from(content).toString('base64')
  const lines = base64.match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []
  const own = { 'Content-Type': type, 'Content-Transfer-Encoding': 'base64', ...headers }
  return `${fields(own)}\r\n${lines.join('\r\n')}`
}

function fields(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
