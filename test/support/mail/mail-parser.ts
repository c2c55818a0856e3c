import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createMailParser } from '../../../server/channels/email/parse/parse-mail.ts'
import type { ParsedMail, ParseResult } from '../../../server/channels/email/parse/parsed-mail.ts'
import type { Clock } from '../../../server/clock.ts'
import { createManualClock } from '../clock.ts'
import { temporaryFolder } from '../folder.ts'

/** What the mailbox's own server calls itself. */
export const OWN_SERVER = 'mx.bellhop.test'

export interface TestParser extends Disposable {
  /** Where attachments are written. */
  attachmentFolder: string
  /** Writes a mail to a file and returns its path. */
  write(mail: string | Uint8Array): Promise<string>
  parseFile(path: string): Promise<ParseResult>
  parse(mail: string | Uint8Array): Promise<ParseResult>
  /** The mail, which must be parsed with its HTML. */
  read(mail: string | Uint8Array): Promise<ParsedMail>
}

/** A parser with folders of its own. Its clock doesn't move, so that no mail is too slow on a busy machine. */
export function createTestParser(clock: Clock = createManualClock()): TestParser {
  const folder = temporaryFolder('mail')
  const attachmentFolder = join(folder, 'attachments')
  mkdirSync(attachmentFolder)
  const parser = createMailParser({ clock })
  let count = 0

  async function write(mail: string | Uint8Array): Promise<string> {
    const path = join(folder, `${count++}.eml`)
    await Bun.write(path, mail)
    return path
  }

  function parseFile(path: string): Promise<ParseResult> {
    return parser.parse({ path, attachmentFolder, authservId: OWN_SERVER })
  }

  async function parse(mail: string | Uint8Array): Promise<ParseResult> {
    return parseFile(await write(mail))
  }

  return {
    attachmentFolder,
    write,
    parseFile,
    parse,
    async read(mail) {
      const result = await parse(mail)
      if (result.outcome !== 'parsed' || result.htmlOmitted !== null) throw new Error(Bun.inspect(result))
      return result.mail
    },
    [Symbol.dispose]: () => parser.stop(),
  }
}

/** A mail of the given lines, as they go over the wire. */
export function mailOf(...lines: string[]): string {
  return lines.join('\r\n')
}

/** A mail with a plain text. */
export function textMail(text: string, ...headers: string[]): string {
  return mailOf(
    'From: Ana Ruiz <ana@example.com>',
    'To: support@bellhop.test',
    'Subject: Order 1001',
    'Message-ID: <one@example.com>',
    'Content-Type: text/plain; charset=utf-8',
    ...headers,
    '',
    text.replaceAll('\n', '\r\n'),
  )
}

/** A mail with nothing but HTML. */
export function htmlMail(html: string): string {
  return textMail(html).replace('text/plain', 'text/html')
}

/** A multipart mail: each part with its headers, a blank line and its body. */
export function multipartMail(subtype: string, parts: string[], ...headers: string[]): string {
  return mailOf(
    'From: Ana Ruiz <ana@example.com>',
    'To: support@bellhop.test',
    'Subject: Order 1001',
    'Message-ID: <one@example.com>',
    ...headers,
    'MIME-Version: 1.0',
    multipart(subtype, parts),
  )
}

/** A multipart as a part: its header, a blank line and its parts. */
export function multipart(subtype: string, parts: string[]): string {
  const boundary = `b${Bun.hash(parts.join()).toString(36)}`
  const type = subtype.includes(';')
    ? subtype.replace(';', `; boundary=${boundary};`)
    : `${subtype}; boundary=${boundary}`
  return mailOf(
    `Content-Type: multipart/${type}`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, part]),
    `--${boundary}--`,
    '',
  )
}
