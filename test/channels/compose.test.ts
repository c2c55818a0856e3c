import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import PostalMime from 'postal-mime'
import {
  composeEmail,
  type DkimKey,
  type EmailContent,
  envelopeAddress,
} from '../../server/channels/email/outbound/compose.ts'
import { temporaryFolder } from '../support/folder.ts'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const FILES: Record<string, Uint8Array> = {
  notes: Buffer.from('one\ntwo\n'),
  image: PNG,
  mail: Buffer.from('Subject: inner\n\nFrom me\n.\n'),
}

const EMAIL: EmailContent = {
  from: { name: 'Support', address: 'support@example.com' },
  to: [{ name: 'Ana', address: 'ana@customer.example' }],
  cc: [],
  replyTo: { name: 'Support', address: 'support+token@example.com' },
  subject: 'Re: Broken lamp',
  text: 'Hello Ana,\n\nwe will send a new one.\n',
  html: null,
  files: [],
  messageId: '<msg_1.signature@example.com>',
  token: 'msg_1.signature',
  inReplyTo: '<first@customer.example>',
  references: ['<first@customer.example>'],
  date: Date.parse('2026-03-01T09:00:00Z'),
}

async function bytesOf(given: Partial<EmailContent> = {}, dkim?: DkimKey): Promise<Buffer> {
  const composed = composeEmail({ ...EMAIL, ...given }, { openFile, dkim })
  return Buffer.concat(await Array.fromAsync(composed.stream()))
}

async function* openFile(hash: string) {
  const bytes = FILES[hash]
  if (!bytes) throw new Error(`There is no file ${hash}.`)
  // In two pieces, as a file is read.
  yield bytes.subarray(0, 3)
  yield bytes.subarray(3)
}

async function parsed(given: Partial<EmailContent>) {
  return PostalMime.parse(await bytesOf(given))
}

function headersOf(bytes: Buffer): string[] {
  const head = bytes.toString().split('\r\n\r\n')[0] ?? ''
  return head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
}

const EVERYTHING: Partial<EmailContent> = {
  html: '<p>Hello <img src="cid:lamp@example.com"></p>',
  files: [
    { name: 'notes.txt', type: 'text/plain', hash: 'notes' },
    { name: 'lamp.png', type: 'image/png', hash: 'image', contentId: 'lamp@example.com' },
  ],
}

describe('an email', () => {
  test('has the same bytes on every attempt', async () => {
    const once = await bytesOf(EVERYTHING)
    expect((await bytesOf(EVERYTHING)).equals(once)).toBe(true)
    expect(await composeEmail({ ...EMAIL, ...EVERYTHING }, { openFile }).countBytes()).toBe(once.byteLength)
  })

  test('has its headers', async () => {
    expect(headersOf(await bytesOf())).toEqual([
      'X-Bellhop-Message: msg_1.signature',
      'From: Support <support@example.com>',
      'To: Ana <ana@customer.example>',
      'Reply-To: Support <support+token@example.com>',
      'In-Reply-To: <first@customer.example>',
      'References: <first@customer.example>',
      'Subject: Re: Broken lamp',
      'Message-ID: <msg_1.signature@example.com>',
      'Date: Sun, 01 Mar 2026 09:00:00 +0000',
      'Content-Transfer-Encoding: 7bit',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
    ])
  })

  test('of no person says so', async () => {
    const headers = headersOf(await bytesOf({ autoSubmitted: 'auto-replied' }))
    expect(headers).toContain('Auto-Submitted: auto-replied')
    expect(headers).toContain('X-Auto-Response-Suppress: All')
  })

  test('has lines of at most 998 characters, all ended by CR LF', async () => {
    const text = `${'x'.repeat(5_000)}\n${'ü'.repeat(5_000)}\n`
    const bytes = await bytesOf({ ...EVERYTHING, text, subject: 'word '.repeat(300) })
    expect(bytes.toString().replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(
      Math.max(
        ...bytes
          .toString()
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThan(999)
    expect((await PostalMime.parse(bytes)).text).toContain('ü'.repeat(5_000))
  })

  test('shows an image in its place and other files as files', async () => {
    const mail = await parsed(EVERYTHING)
    expect(mail.text).toStartWith('Hello Ana')
    expect(mail.html).toContain('cid:lamp@example.com')
    const files = mail.attachments.map(
      ({ filename, mimeType, disposition, related, contentId, content }) => ({
        filename,
        mimeType,
        disposition,
        related,
        contentId,
        bytes: Buffer.from(content as ArrayBuffer).toString('hex'),
      }),
    )
    expect(files).toContainEqual({
      filename: 'lamp.png',
      mimeType: 'image/png',
      disposition: 'inline',
      related: true,
      contentId: '<lamp@example.com>',
      bytes: PNG.toString('hex'),
    })
    expect(files).toContainEqual({
      filename: 'notes.txt',
      mimeType: 'text/plain',
      disposition: 'attachment',
      related: undefined,
      contentId: undefined,
      bytes: Buffer.from('one\ntwo\n').toString('hex'),
    })
  })

  test('contains a forwarded mail byte for byte, and a file without a proper type', async () => {
    const files = [
      { name: 'mail.eml', type: 'message/rfc822', hash: 'mail' },
      { name: 'notes', type: 'text/plain\r\nBcc: evil@x.test', hash: 'notes' },
    ]
    const { attachments } = await parsed({ files })
    expect(attachments.map(({ mimeType }) => mimeType)).toEqual([
      'application/octet-stream',
      'application/octet-stream',
    ])
    expect(Buffer.from(attachments[0]?.content as ArrayBuffer).toString()).toBe(
      'Subject: inner\n\nFrom me\n.\n',
    )
  })

  test.each([
    ['a comma', 'Smith, Ana'],
    ['quotes', 'Ana "The Lamp" Smith'],
    ['an emoji', 'Ana 🛎️'],
    ['an umlaut and a comma', 'Müller, Änne'],
    ['angle brackets', '<evil@x.test>'],
    ['an address', 'ana@other.example'],
  ])('reaches one person whose name has %s', async (_, name) => {
    const { to, from } = await parsed({
      to: [{ name, address: 'ana@customer.example' }],
      from: { name, address: 'support@example.com' },
    })
    expect(to).toEqual([{ name, address: 'ana@customer.example' }])
    expect(from).toEqual({ name, address: 'support@example.com' })
  })

  test('writes international domains in ASCII', async () => {
    const to = [{ name: '', address: 'ana@bücher.example' }]
    expect(headersOf(await bytesOf({ to }))).toContain('To: ana@xn--bcher-kva.example')
    expect(envelopeAddress('ana@bücher.example')).toBe('ana@xn--bcher-kva.example')
    expect(envelopeAddress('ana@example.com')).toBe('ana@example.com')
  })

  test('gets no header from any of its values', async () => {
    const evil = 'x\r\nBcc: evil@x.test\r\n\r\nbody'
    const usual = headersOf(await bytesOf({ ...EVERYTHING, autoSubmitted: 'auto-replied' }))
    const bytes = await bytesOf({
      ...EVERYTHING,
      from: { name: evil, address: 'support@example.com' },
      to: [{ name: evil, address: 'ana@customer.example' }],
      subject: evil,
      messageId: `<${evil}@example.com>`,
      inReplyTo: `<${evil}@example.com>`,
      references: [`<${evil}@example.com>`],
      autoSubmitted: 'auto-replied',
      files: [{ name: evil, type: 'text/plain', hash: 'notes', contentId: evil }],
    })
    const names = (headers: string[]) => headers.map((line) => line.slice(0, line.indexOf(':')))
    expect(names(headersOf(bytes))).toEqual(names(usual))
    expect(bytes.toString()).not.toMatch(/^Bcc:/im)
    const mail = await PostalMime.parse(bytes)
    expect(mail.subject).toBe('x Bcc: evil@x.test body')
    expect(mail.from?.name).toBe('x Bcc: evil@x.test body')
    expect(mail.attachments[0]?.filename).toBe('x Bcc: evil@x.test body')
  })
})

describe('a signature by DKIM', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const key: DkimKey = {
    domain: 'example.com',
    selector: 'mail',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    temporaryFolder: temporaryFolder('dkim'),
  }

  test('comes first and is the same on every attempt', async () => {
    const once = await bytesOf(EVERYTHING, key)
    const [first] = headersOf(once)
    expect(first).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=example\.com;/)
    expect((await bytesOf(EVERYTHING, key)).equals(once)).toBe(true)
    expect(once.toString()).toEndWith((await bytesOf(EVERYTHING)).toString())
  })

  test('with a key that cannot sign is refused instead of left out', () => {
    const pair = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    const wrong = { ...key, privateKey: pair.toString() }
    expect(() => composeEmail(EMAIL, { openFile, dkim: wrong })).toThrow('must be an RSA key')
  })
})
