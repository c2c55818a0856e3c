import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { createTestParser, mailOf, multipart, multipartMail, textMail } from '../support/mail/mail-parser.ts'

const parser = createTestParser()
afterAll(() => parser[Symbol.dispose]())

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const TEXT = 'Content-Type: text/plain; charset=utf-8\r\n\r\nSee the picture.'

function file(name: string, ...headers: string[]): string {
  return mailOf(
    `Content-Type: image/png; name="${name}"`,
    'Content-Transfer-Encoding: base64',
    ...headers,
    '',
    PNG,
  )
}

describe('the headers of a mail', () => {
  test('say who wrote, to whom, when and about what', async () => {
    const mail = await parser.read(
      mailOf(
        'Return-Path: <bounce@example.com>',
        'Delivered-To: Support+k3@Bellhop.test',
        'X-Original-To: help@bellhop.test',
        'From: =?utf-8?q?Ana_Mu=C3=B1oz?= <ana@example.com>',
        'Sender: office@example.com',
        'Reply-To: "Ana at home" <home@example.com>',
        'To: Team: support@bellhop.test, "Ruiz, Ben" <ben@example.com>;',
        'Cc: ana@example.org (Ana), undisclosed-recipients:;, not an address',
        'Date: Tue, 3 Mar 2026 09:30:00 +0100 (CET)',
        'Message-ID: <one@example.com>',
        'In-Reply-To: <zero@example.com>',
        'References: <first@example.com>',
        ' <zero@example.com> <zero@example.com>',
        'Subject: =?utf-8?B?WmHFvMOzxYLEhw==?=  and',
        '\tmore',
        'X-Bellhop-Message: msg_1',
        '',
        'Hello',
      ),
    )
    expect(mail).toMatchObject({
      messageId: '<one@example.com>',
      from: { name: 'Ana Muñoz', address: 'ana@example.com' },
      sender: { name: '', address: 'office@example.com' },
      replyTo: [{ name: 'Ana at home', address: 'home@example.com' }],
      to: [
        { name: '', address: 'support@bellhop.test' },
        { name: 'Ruiz, Ben', address: 'ben@example.com' },
      ],
      cc: [{ name: 'Ana', address: 'ana@example.org' }],
      deliveredTo: ['support+k3@bellhop.test', 'help@bellhop.test'],
      returnPath: 'bounce@example.com',
      date: Date.parse('2026-03-03T08:30:00Z'),
      subject: 'Zażółć and more',
      inReplyTo: ['<zero@example.com>'],
      references: ['<first@example.com>', '<zero@example.com>'],
      text: 'Hello',
      ownHeaders: { 'x-bellhop-message': 'msg_1' },
    })
  })

  test('can be missing', async () => {
    expect(await parser.read('\r\nHello')).toMatchObject({
      messageId: null,
      from: null,
      replyTo: [],
      to: [],
      date: null,
      subject: '',
      references: [],
      returnPath: null,
      text: 'Hello',
    })
    expect((await parser.read('')).text).toBe('')
    expect((await parser.read('No header at all')).text).toBe('No header at all')
  })

  test('contain no line breaks and no control characters, however they are encoded', async () => {
    const encoded = Buffer.from('One\r\nBcc: eve@example.com\0 two').toString('base64')
    const mail = await parser.read(
      mailOf(`Subject: =?utf-8?B?${encoded}?=`, 'From: "A\0na" <ana@example.com>', '', 'a\0b\x07c'),
    )
    expect(mail.subject).toBe('One Bcc: eve@example.com two')
    expect(mail.from).toEqual({ name: 'Ana', address: 'ana@example.com' })
    expect(mail.text).toBe('abc')
  })

  test('are read when they are 8-bit text of no declared charset', async () => {
    const latin1 = Buffer.from('Subject: Größe\r\nFrom: José <jose@example.com>\r\n\r\nFür Zoë', 'latin1')
    expect(await parser.read(latin1)).toMatchObject({
      subject: 'Größe',
      from: { name: 'José' },
      text: 'Für Zoë',
    })
    expect(await parser.read('Subject: Größe\r\n\r\nFür Zoë')).toMatchObject({
      subject: 'Größe',
      text: 'Für Zoë',
    })
  })
})

/** A charset, a text and its bytes. */
const CHARSETS: [label: string, bytes: Uint8Array, text: string][] = [
  ['iso-2022-jp', Buffer.from('\x1b$B$3$s$K$A$O\x1b(B', 'latin1'), 'こんにちは'],
  ['gb18030', Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), '你好'],
  ['KOI8-R', Buffer.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]), 'Привет'],
  ['windows-1252', Buffer.from('d\x92accord \x80', 'latin1'), 'd’accord €'],
  ['iso-8859-1', Buffer.from('Größe', 'latin1'), 'Größe'],
  ['cp932', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
  ['unknown-8bit', Buffer.from('Größe', 'latin1'), 'Größe'],
  ['no-such-charset', Buffer.from('Größe'), 'Größe'],
  ['utf-8', Buffer.from('Größe', 'latin1'), 'Größe'],
]

describe('a text is read in its charset', () => {
  for (const [label, bytes, text] of CHARSETS) {
    test(`${label}, 8-bit, quoted-printable and base64`, async () => {
      const head = `From: ana@example.com\r\nContent-Type: text/plain; charset="${label}"\r\n`
      const quoted = [...bytes].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
      const forms: [encoding: string, body: Uint8Array][] = [
        ['8bit', bytes],
        ['quoted-printable', Buffer.from(quoted)],
        ['base64', Buffer.from(Buffer.from(bytes).toString('base64'))],
      ]
      for (const [encoding, body] of forms) {
        const mail = Buffer.concat([
          Buffer.from(`${head}Content-Transfer-Encoding: ${encoding}\r\n\r\n`),
          body,
        ])
        expect([encoding, (await parser.read(mail)).text]).toEqual([encoding, text])
      }
    })
  }

  test('Japanese without a declared charset', async () => {
    const mail = Buffer.from('Subject: x\r\n\r\n\x1b$B$3$s$K$A$O\x1b(B', 'latin1')
    expect((await parser.read(mail)).text).toBe('こんにちは')
  })
})

describe('the text of a mail', () => {
  test('joins the lines that the mail program broke, but not those of a quote and an answer', async () => {
    const flowed = '> Where is \n> my order?\nIt is on \nits way.\n-- \nAna'
    const mail = textMail(flowed).replace('charset=utf-8', 'charset=utf-8; format=flowed')
    expect((await parser.read(mail)).text).toBe('It is on its way.\n-- \nAna')
  })

  test('is the plain form of an alternative, and the one of the HTML when the plain form is empty', async () => {
    const html = 'Content-Type: text/html\r\n\r\n<p>Rich</p>'
    const both = multipartMail('alternative', ['Content-Type: text/plain\r\n\r\nPlain', html])
    expect(await parser.read(both)).toMatchObject({ text: 'Plain', html: '<p>Rich</p>' })
    const empty = multipartMail('alternative', ['Content-Type: text/plain\r\n\r\n \r\n', html])
    expect((await parser.read(empty)).text).toBe('Rich')
  })

  test('has all texts of a mail, in order', async () => {
    const mail = multipartMail('mixed', [
      'Content-Type: text/plain\r\n\r\nAbove',
      file('a.png', 'Content-Disposition: attachment'),
      'Content-Type: text/plain\r\n\r\nBelow',
    ])
    expect(await parser.read(mail)).toMatchObject({
      text: 'Above\n\nBelow',
      attachments: [{ name: 'a.png' }],
    })
  })

  test('is read from a multipart that has no parts', async () => {
    const mail = 'From: ana@example.com\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\nJust text'
    expect((await parser.read(mail)).text).toBe('Just text')
  })

  test('that is too long for a message is cut, and whole in a file', async () => {
    const long = `Start ${'ä'.repeat(70_000)} end`
    const mail = await parser.read(textMail(long))
    expect([...mail.text].length).toBe(65_536)
    expect(mail.attachments).toMatchObject([{ name: 'message.txt', type: 'text/plain' }])
    expect(readFileSync(mail.attachments[0]?.path ?? '', 'utf8').trim()).toBe(long)
  })
})

describe('the files of a mail', () => {
  test('are written, with the name, the size and the type of their content', async () => {
    const mail = await parser.read(
      multipartMail('mixed', [
        TEXT,
        file(
          'ignored.gif',
          "Content-Disposition: attachment; filename*0*=utf-8''Gr%C3%B6%C3; filename*1*=%9Fe.png",
        ),
        'Content-Type: application/pdf; name="=?utf-8?q?Rechnung_=E2=82=AC.pdf?="\r\n\r\n%PDF-1.7 x',
      ]),
    )
    expect(mail.text).toBe('See the picture.')
    expect(mail.attachments).toMatchObject([
      { name: 'Größe.png', type: 'image/png', size: 70, contentId: null, isInline: false },
      { name: 'Rechnung €.pdf', type: 'application/pdf', size: 10 },
    ])
    for (const { hash, path } of mail.attachments) {
      expect(new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')).toBe(hash)
    }
  })

  test('are one file with the same content, but those of another mail are others', async () => {
    const same = [file('a.png'), file('b.png')]
    const [one, two] = [
      await parser.read(multipartMail('mixed', same)),
      await parser.read(multipartMail('mixed', same)),
    ]
    const [path = '', again, other = ''] = [...one.attachments, ...two.attachments].map((each) => each.path)
    expect(again).toBe(path)
    rmSync(path)
    expect(existsSync(other)).toBe(true)
  })

  test('are inline when the HTML shows them, with or without Content-Disposition', async () => {
    const html = 'Content-Type: text/html\r\n\r\n<p>Look: <img src="cid:pic%40x"> <img src=CID:other@x></p>'
    const mail = await parser.read(
      multipartMail('related', [
        html,
        file('shown.png', 'Content-ID: <pic@x>'),
        file('other.png', 'Content-ID: <other@x>', 'Content-Disposition: attachment'),
        file('unused.png', 'Content-ID: <unused@x>', 'Content-Disposition: inline'),
      ]),
    )
    expect(mail.attachments.map(({ name, contentId, isInline }) => [name, contentId, isInline])).toEqual([
      ['shown.png', 'pic@x', true],
      ['other.png', 'other@x', true],
      ['unused.png', 'unused@x', false],
    ])
    expect(mail.html).toBe('<p>Look: <img data-cid="pic@x" /> <img data-cid="other@x" /></p>')
  })

  test('are images inside the HTML, too', async () => {
    const html = `Content-Type: text/html\r\n\r\n<img alt="dot" src="data:image/png;base64,${PNG}">`
    const mail = await parser.read(multipartMail('mixed', [html]))
    expect(mail.attachments).toMatchObject([
      { name: 'image.png', type: 'image/png', size: 70, isInline: true },
    ])
    expect(mail.html).toContain(`data-cid="${mail.attachments[0]?.contentId}"`)
  })

  test('are calendars, nested mails, signatures and Outlook’s winmail.dat', async () => {
    const nested = 'From: ben@example.com\r\nSubject: Old/new\r\nContent-Type: text/html\r\n\r\n<b>Inner</b>'
    const mail = await parser.read(
      multipartMail('mixed', [
        multipart('alternative', [
          'Content-Type: text/plain\r\n\r\nOuter',
          'Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR',
        ]),
        `Content-Type: message/rfc822\r\n\r\n${nested}`,
        'Content-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\neJ8+Ig==',
        'Content-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nx',
      ]),
    )
    expect(mail).toMatchObject({ text: 'Outer', html: null })
    expect(mail.attachments.map(({ name, type }) => [name, type])).toEqual([
      ['invite.ics', 'text/calendar'],
      ['Old-new.eml', 'message/rfc822'],
      ['winmail.dat', 'application/ms-tnef'],
      ['smime.p7s', 'application/pkcs7-signature'],
    ])
  })

  test('have names that are what they seem', async () => {
    const names = [
      '../../etc/passwd',
      'C:\\Users\\ana\\a.txt',
      'invoice\u202Egpj.exe',
      'a\0b\r\n.png',
      '',
      '..',
    ]
    const parts = names.map(
      (name) =>
        `Content-Type: text/csv\r\nContent-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name)}\r\n\r\nx`,
    )
    const mail = await parser.read(multipartMail('mixed', parts))
    expect(mail.attachments.map(({ name }) => name)).toEqual([
      'passwd',
      'a.txt',
      'invoicegpj.exe',
      'ab.png',
      'table.csv',
      'table.csv',
    ])
  })

  test('are not called an image when they are something else', async () => {
    const lie = 'Content-Type: image/png; name=a.png\r\n\r\n<script>alert(1)</script>'
    const document = 'Content-Type: application/octet-stream; name=a.docx\r\n\r\nPK\x03\x04x'
    const signature = 'Content-Type: application/pgp-signature\r\n\r\n-----BEGIN'
    const mail = await parser.read(
      multipartMail('mixed', [lie, document, signature, file('b.txt').replace('image/png', 'text/plain')]),
    )
    expect(mail.attachments.map(({ type }) => type)).toEqual([
      'text/html',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/pgp-signature',
      'image/png',
    ])
  })

  test('beyond the fiftieth are counted', async () => {
    const parts = Array.from({ length: 60 }, (_, n) => `Content-Type: text/csv; name=${n}.csv\r\n\r\n${n}`)
    const mail = await parser.read(multipartMail('mixed', [TEXT, ...parts]))
    expect([mail.attachments.length, mail.omittedAttachments]).toEqual([50, 10])
  })

  test('are found after a nested part with the same boundary, as Outlook Express wrote', async () => {
    const mail = mailOf(
      'Content-Type: multipart/mixed; boundary=B',
      '',
      '--B',
      'Content-Type: multipart/alternative; boundary=B',
      '',
      '--B',
      'Content-Type: text/plain',
      '',
      'Plain',
      '--B--',
      '--B',
      'Content-Type: text/csv; name=a.csv',
      '',
      'x',
      '--B--',
    )
    expect(await parser.read(mail)).toMatchObject({ text: 'Plain', attachments: [{ name: 'a.csv' }] })
  })
})
