/** A mail that mail programs and servers do send, or that someone sends to do harm. */
export interface AwkwardMail {
  name: string
  /** The bytes, which may be many. Every mail of the suite has another Message-ID, if any. */
  make(): Buffer
  /** What a reader should see, where that is beyond doubt. */
  subject?: string
  /** Part of the text. */
  text?: string
  /** Null when the mail doesn't say who wrote it. */
  sender?: string | null
  /** Names of the files, inline ones too. */
  files?: string[]
}

/** Text of one byte for each character, so that it can have any bytes. */
export type Bytes = string

/** A mail of headers and a body, as bytes. Headers that are not given are those of an ordinary mail; null leaves one out. */
export function rawMail(
  name: string,
  headers: Record<string, Bytes | null> = {},
  body: Bytes = 'Hello\r\n',
): Buffer {
  const all: Record<string, Bytes | null> = {
    From: `Ana Ruiz <${senderOf(name)}>`,
    To: 'support@helpdesk.test',
    Subject: name,
    Date: 'Tue, 03 Mar 2026 09:30:00 +0000',
    'Message-ID': `<${slug(name)}@awkward.test>`,
    'MIME-Version': '1.0',
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([key, value]) => (value === null ? [] : `${key}: ${value}\r\n`))
  return Buffer.from(`${lines.join('')}\r\n${body}`, 'latin1')
}

/** The address of the mail with this name. */
export function senderOf(name: string): string {
  return `${slug(name)}@customer.test`
}

/** The body of a multipart: each part with its headers. Its boundary is `limit`, or the one given. */
export function parts(all: Bytes[], boundary = 'limit'): Bytes {
  return `${all.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
}

export function part(headers: Record<string, Bytes>, body: Bytes): Bytes {
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`)
  return `${lines.join('')}\r\n${body}`
}

/** A file as an attachment. */
export function filePart(headers: Record<string, Bytes>, bytes: Uint8Array = Buffer.from('content')): Bytes {
  return part(
    {
      'Content-Type': 'application/octet-stream',
      'Content-Transfer-Encoding': 'base64',
      'Content-Disposition': 'attachment',
      ...headers,
    },
    base64(bytes),
  )
}

/** In lines of 76. */
export function base64(bytes: Uint8Array): Bytes {
  return Buffer.from(bytes).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
}

/** UTF-8 as bytes. */
export function utf8(text: string): Bytes {
  return Buffer.from(text).toString('latin1')
}

export function hex(bytes: string): Bytes {
  return Buffer.from(bytes, 'hex').toString('latin1')
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
