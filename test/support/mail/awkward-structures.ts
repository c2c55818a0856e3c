import { type AwkwardMail, base64, filePart, part, parts, rawMail, utf8 } from './awkward-mail.ts'
import { makeTnef } from './tnef.ts'

const LEVELS = 300
const PARTS = 5_000
const FILE_BYTES = 18_000_000
const MIXED = { 'Content-Type': 'multipart/mixed; boundary=limit' }
const TEXT = part({ 'Content-Type': 'text/plain; charset=utf-8' }, 'See the file.')
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const INVITATION = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Awkward//EN',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'UID:1@awkward.test',
  'DTSTAMP:20260303T093000Z',
  'DTSTART:20260304T100000Z',
  'SUMMARY:Call about order 1001',
  'ORGANIZER:mailto:ana@customer.test',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n')

/** Structures: nested, broken, huge, and the files in them. */
export const AWKWARD_STRUCTURES: AwkwardMail[] = [
  { name: `${LEVELS} levels of parts`, make: () => nested(`${LEVELS} levels of parts`) },
  { name: `${LEVELS} levels of mails`, make: () => nestedMails(`${LEVELS} levels of mails`) },
  {
    name: `${PARTS} parts`,
    make: () =>
      rawMail(
        `${PARTS} parts`,
        MIXED,
        parts(Array.from({ length: PARTS }, (_, n) => part({ 'Content-Type': 'text/plain' }, `part ${n}`))),
      ),
  },
  {
    name: '200 files',
    make: () =>
      rawMail(
        '200 files',
        MIXED,
        parts(Array.from({ length: 200 }, (_, n) => file(`file-${n}.bin`, Buffer.from(`content ${n}`)))),
      ),
  },
  {
    name: 'A file of 18 MB',
    files: ['large.bin'],
    make: () =>
      rawMail('A file of 18 MB', MIXED, parts([TEXT, file('large.bin', Buffer.alloc(FILE_BYTES, 7))])),
  },
  {
    name: 'A boundary that never closes',
    text: 'See the file.',
    make: () => rawMail('A boundary that never closes', MIXED, `--limit\r\n${TEXT}`),
  },
  mixed('A boundary that never comes', { 'Content-Type': 'multipart/mixed; boundary=other' }, [TEXT]),
  mixed('No boundary', { 'Content-Type': 'multipart/mixed' }, [TEXT]),
  mixed('An empty boundary', { 'Content-Type': 'multipart/mixed; boundary=""' }, [TEXT]),
  mixed('No parts', MIXED, []),
  mixed('The same boundary inside', MIXED, [
    `Content-Type: multipart/alternative; boundary=limit\r\n\r\n${parts([TEXT])}`,
    file('after.txt'),
  ]),
  { ...mixed('A winmail.dat', MIXED, [TEXT, winmail()]), text: 'See the file.' },
  {
    name: 'Only a winmail.dat',
    text: 'Outlook’s own format (winmail.dat)',
    make: () =>
      rawMail(
        'Only a winmail.dat',
        { 'Content-Type': 'application/ms-tnef; name="winmail.dat"', 'Content-Transfer-Encoding': 'base64' },
        base64(makeTnef('Order 1001', [{ name: 'invoice.txt', bytes: Buffer.from('Invoice 1001') }])),
      ),
  },
  {
    name: 'An invitation',
    text: 'See the file.',
    make: () =>
      rawMail(
        'An invitation',
        { 'Content-Type': 'multipart/alternative; boundary=limit' },
        parts([TEXT, part({ 'Content-Type': 'text/calendar; method=REQUEST; charset=utf-8' }, INVITATION)]),
      ),
  },
  {
    name: 'Only an invitation',
    make: () =>
      rawMail('Only an invitation', { 'Content-Type': 'text/calendar; method=REQUEST' }, INVITATION),
  },
  {
    ...mixed('A forwarded mail as a file', MIXED, [
      TEXT,
      part(
        { 'Content-Type': 'message/rfc822' },
        rawMail(
          'Inside',
          { From: 'victim@customer.test', ...MIXED },
          parts([TEXT, file('inner.txt')]),
        ).toString('latin1'),
      ),
    ]),
    text: 'See the file.',
  },
  {
    ...mixed(
      'Signed with S/MIME',
      {
        'Content-Type':
          'multipart/signed; protocol="application/pkcs7-signature"; micalg=sha-256; boundary=limit',
      },
      [
        TEXT,
        filePart(
          {
            'Content-Type': 'application/pkcs7-signature; name=smime.p7s',
            'Content-Disposition': 'attachment; filename=smime.p7s',
          },
          Buffer.from('3080060a2a864886f70d010702', 'hex'),
        ),
      ],
    ),
    text: 'See the file.',
  },
  {
    name: 'Encrypted with S/MIME',
    text: 'encrypted with S/MIME',
    files: ['smime.p7m'],
    make: () =>
      rawMail(
        'Encrypted with S/MIME',
        {
          'Content-Type': 'application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m',
          'Content-Transfer-Encoding': 'base64',
          'Content-Disposition': 'attachment; filename=smime.p7m',
        },
        base64(Buffer.concat([Buffer.from('3080060a2a864886f70d010703', 'hex'), Buffer.alloc(2_000, 90)])),
      ),
  },
  {
    ...mixed(
      'Encrypted with PGP',
      { 'Content-Type': 'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=limit' },
      [
        part({ 'Content-Type': 'application/pgp-encrypted' }, 'Version: 1'),
        part(
          { 'Content-Type': 'application/octet-stream; name=encrypted.asc' },
          '-----BEGIN PGP MESSAGE-----\r\n\r\nabc\r\n',
        ),
      ],
    ),
    text: 'encrypted with PGP',
  },
  { ...related('An inline image without Content-Disposition', {}), files: ['logo.png'] },
  {
    ...related('An inline image that is an attachment', {
      'Content-Disposition': 'attachment; filename=logo.png',
    }),
    files: ['logo.png'],
  },
  {
    name: 'An inline image that is missing',
    text: 'Logo:',
    make: () =>
      rawMail(
        'An inline image that is missing',
        { 'Content-Type': 'text/html' },
        '<p>Logo: <img src="cid:gone@x"></p>',
      ),
  },
  named('A name that climbs', '../../../etc/passwd'),
  named('A name with a drive', 'C:\\\\Windows\\\\win.ini'),
  named('A name of dots', '..'),
  named('A name with a line break', '=?utf-8?Q?a=0D=0AX-Evil:_1.txt?='),
  named('A name with NUL', 'a\0.exe'),
  named('A name that is HTML', '<img src=x onerror=alert(1)>.png'),
  named('A name written from right to left', utf8('invoice\u202efdp.exe')),
  named('A name of 4,000 characters', `${'x'.repeat(4_000)}.txt`),
  named('A name in an encoded word', '=?utf-8?B?UmVjaG51bmcgR3LDvG4ucGRm?=', ['Rechnung Grün.pdf']),
  {
    ...mixed('A name in pieces', MIXED, [
      TEXT,
      filePart({
        'Content-Disposition':
          "attachment;\r\n filename*0*=utf-8''Gr%C3%BCn;\r\n filename*1*=%20und%20blau;\r\n filename*2=.txt",
      }),
    ]),
    files: ['Grün und blau.txt'],
  },
  mixed('A file without a name', MIXED, [TEXT, filePart({})]),
  { ...mixed('An empty file', MIXED, [TEXT, file('empty.txt', Buffer.alloc(0))]), text: 'See the file.' },
  mixed('A file in no encoding', MIXED, [
    TEXT,
    part(
      { 'Content-Type': 'image/png; name=raw.png', 'Content-Transfer-Encoding': 'binary' },
      PNG.toString('latin1'),
    ),
  ]),
  mixed('HTML that says it is an image', MIXED, [
    TEXT,
    filePart(
      { 'Content-Type': 'image/png', 'Content-Disposition': 'attachment; filename=photo.png' },
      Buffer.from('<script>alert(1)</script>'),
    ),
  ]),
  mixed('Texts between files', MIXED, [
    TEXT,
    file('one.txt'),
    part({ 'Content-Type': 'text/plain' }, 'And another.'),
  ]),
  {
    name: 'A file in uuencode',
    make: () =>
      rawMail('A file in uuencode', {}, 'See below.\r\n\r\nbegin 644 hello.txt\r\n%:&5L;&\\\r\n`\r\nend\r\n'),
  },
]

function mixed(name: string, headers: Record<string, string>, all: string[]): AwkwardMail {
  return { name, make: () => rawMail(name, headers, parts(all)) }
}

function named(name: string, fileName: string, files?: string[]): AwkwardMail {
  return { ...mixed(name, MIXED, [TEXT, file(fileName)]), text: 'See the file.', ...(files && { files }) }
}

function file(name: string, bytes?: Uint8Array): string {
  return filePart({ 'Content-Disposition': `attachment; filename="${name}"` }, bytes)
}

function winmail(): string {
  const bytes = makeTnef('Order 1001', [{ name: 'invoice.txt', bytes: Buffer.from('Invoice 1001') }])
  return filePart(
    {
      'Content-Type': 'application/ms-tnef; name="winmail.dat"',
      'Content-Disposition': 'attachment; filename="winmail.dat"',
    },
    bytes,
  )
}

function related(name: string, headers: Record<string, string>): AwkwardMail {
  const image = part(
    {
      'Content-Type': 'image/png; name=logo.png',
      'Content-Transfer-Encoding': 'base64',
      'Content-ID': '<logo@x>',
      ...headers,
    },
    base64(PNG),
  )
  const html = part({ 'Content-Type': 'text/html; charset=utf-8' }, '<p>Our logo: <img src="cid:logo@x"></p>')
  return {
    name,
    text: 'Our logo:',
    make: () => rawMail(name, { 'Content-Type': 'multipart/related; boundary=limit' }, parts([html, image])),
  }
}

function nested(name: string): Buffer {
  const open = Array.from(
    { length: LEVELS },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  )
  const close = Array.from({ length: LEVELS }, (_, n) => `\r\n--b${LEVELS - 1 - n}--\r\n`)
  const body = `--limit\r\n${open.join('')}${TEXT}${close.join('')}--limit--\r\n`
  return rawMail(name, MIXED, body)
}

function nestedMails(name: string): Buffer {
  let inner = rawMail('Innermost').toString('latin1')
  for (let level = 1; level < LEVELS; level += 1) {
    inner = `From: level${level}@customer.test\r\nSubject: level ${level}\r\nContent-Type: message/rfc822\r\n\r\n${inner}`
  }
  return rawMail(name, { 'Content-Type': 'message/rfc822' }, inner)
}
