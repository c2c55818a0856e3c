import { type AwkwardMail, base64, hex, part, parts, rawMail, utf8 } from './awkward-mail.ts'

const PLAIN = 'text/plain; charset='
const JAPANESE = hex('1b2442467c4b5c386c244e242a4c6424243967246f243b1b2842')
const CHINESE = hex('cdcbbfeec7ebc7f3209534b235')
const RUSSIAN = hex('eec520cdcfc7d520d7cfcad4c9')
const NESTED_DIVS = 100_000
const QUOTE_BYTES = 6_144

/** Texts: their charsets, encodings and sizes. */
export const AWKWARD_TEXTS: AwkwardMail[] = [
  charset('ISO-2022-JP', JAPANESE, '日本語のお問い合わせ'),
  charset('GB18030', CHINESE, '退款请求 𠮷'),
  charset('KOI8-R', RUSSIAN, 'Не могу войти'),
  charset('x-klingon-8bit', 'Order 1001', 'Order 1001'),
  {
    name: 'Undeclared Latin-1',
    subject: 'Größe zu klein',
    text: 'Grüße aus Köln',
    make: () =>
      rawMail(
        'Undeclared Latin-1',
        { Subject: hex('4772f6df65207a75206b6c65696e') },
        hex('4772fcdf6520617573204bf66c6e'),
      ),
  },
  {
    name: 'Undeclared UTF-8',
    subject: 'Größe zu klein',
    text: 'Grüße aus Köln',
    make: () => rawMail('Undeclared UTF-8', { Subject: utf8('Größe zu klein') }, utf8('Grüße aus Köln')),
  },
  {
    name: 'Latin-1 that says UTF-8',
    text: 'Grüße aus Köln',
    make: () => rawMail('Latin-1 that says UTF-8', eightBit('utf-8'), hex('4772fcdf6520617573204bf66c6e')),
  },
  {
    name: 'UTF-8 that says ASCII',
    text: 'Grüße aus Köln',
    make: () => rawMail('UTF-8 that says ASCII', eightBit('us-ascii'), utf8('Grüße aus Köln')),
  },
  {
    name: 'A character cut between encoded words',
    subject: 'Grüße',
    make: () =>
      rawMail('A character cut between encoded words', {
        Subject: '=?utf-8?Q?Gr=C3?=\r\n =?utf-8?Q?=BC=C3=9Fe?=',
      }),
  },
  {
    name: 'Broken base64',
    make: () =>
      rawMail(
        'Broken base64',
        { 'Content-Type': `${PLAIN}utf-8`, 'Content-Transfer-Encoding': 'base64' },
        'SGVs!!bG8=\r\n=\r\ngarbage ~~ here\r\nSGVs',
      ),
  },
  {
    name: 'Broken quoted-printable',
    text: 'Hello',
    make: () =>
      rawMail(
        'Broken quoted-printable',
        { 'Content-Type': `${PLAIN}utf-8`, 'Content-Transfer-Encoding': 'quoted-printable' },
        'Hello =ZZ =C3 = =\r\nend=',
      ),
  },
  {
    name: 'An unknown transfer encoding',
    make: () => rawMail('An unknown transfer encoding', { 'Content-Transfer-Encoding': 'x-uue-2' }),
  },
  {
    name: 'NUL in the text and the subject',
    make: () => rawMail('NUL in the text and the subject', { Subject: 'be\0fore' }, 'a\0b\0\0c\r\n'),
  },
  {
    name: 'Lines that end with LF',
    subject: 'Lines that end with LF',
    text: 'Hello',
    make: () =>
      Buffer.from(rawMail('Lines that end with LF').toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  },
  {
    name: 'Lines that end with CR',
    make: () =>
      Buffer.from(rawMail('Lines that end with CR').toString('latin1').replaceAll('\r\n', '\r'), 'latin1'),
  },
  {
    name: 'Flowed text',
    text: 'It is on its way.',
    make: () =>
      rawMail('Flowed text', { 'Content-Type': `${PLAIN}utf-8; format=flowed` }, 'It is on \r\nits way.\r\n'),
  },
  {
    name: 'HTML only',
    text: 'Where is my order?',
    make: () => rawMail('HTML only', html('utf-8'), '<p>Where is <b>my</b> order?</p>'),
  },
  {
    name: 'An empty text beside HTML',
    text: 'Where is my order?',
    make: () =>
      rawMail(
        'An empty text beside HTML',
        { 'Content-Type': 'multipart/alternative; boundary=limit' },
        parts([
          part({ 'Content-Type': 'text/plain' }, '\r\n'),
          part({ 'Content-Type': 'text/html' }, '<p>Where is my order?</p>'),
        ]),
      ),
  },
  {
    name: `${NESTED_DIVS} nested div`,
    make: () =>
      rawMail(
        `${NESTED_DIVS} nested div`,
        html('utf-8'),
        `${'<div>\r\n'.repeat(NESTED_DIVS)}deep${'</div>'.repeat(NESTED_DIVS)}`,
      ),
  },
  {
    name: 'Tables in tables, never closed',
    make: () =>
      rawMail('Tables in tables, never closed', html('utf-8'), `${'<table><tr><td>\r\n'.repeat(20_000)}deep`),
  },
  {
    name: 'A tag with 50,000 attributes',
    make: () =>
      rawMail(
        'A tag with 50,000 attributes',
        html('utf-8'),
        `<p ${Array.from({ length: 50_000 }, (_, n) => `a${n}="x"\r\n`).join('')}>Hello</p>`,
      ),
  },
  {
    name: 'A comment that never ends',
    make: () => rawMail('A comment that never ends', html('utf-8'), `<p>Hello</p>${'<!--'.repeat(50_000)}`),
  },
  {
    name: '6 KB of quote signs',
    make: () => rawMail('6 KB of quote signs', {}, '>'.repeat(QUOTE_BYTES)),
  },
  {
    name: '6 KB of quote signs and line ends',
    make: () => rawMail('6 KB of quote signs and line ends', {}, '> \r\n'.repeat(QUOTE_BYTES / 4)),
  },
  {
    name: 'A line of 2 MB',
    make: () => rawMail('A line of 2 MB', {}, `Hello ${'x'.repeat(2_000_000)}`),
  },
  {
    name: '200,000 blank lines',
    make: () => rawMail('200,000 blank lines', {}, `Hello${'\r\n'.repeat(200_000)}bye`),
  },
  {
    name: 'A body of 25 MB',
    make: () => rawMail('A body of 25 MB', {}, `${'0123456789'.repeat(7)}\r\n`.repeat(364_000)),
  },
  {
    name: 'HTML of 5 MB',
    make: () => rawMail('HTML of 5 MB', html('utf-8'), '<p style="color: red">Hello</p>\r\n'.repeat(150_000)),
  },
]

/** In the subject as an encoded word, and in the body as it is. */
function charset(label: string, bytes: string, text: string): AwkwardMail {
  const name = `Charset ${label}`
  const word = `=?${label}?B?${base64(Buffer.from(bytes, 'latin1'))}?=`
  return {
    name,
    subject: text,
    text,
    make: () => rawMail(name, { Subject: word, ...eightBit(label) }, bytes),
  }
}

function eightBit(label: string): Record<string, string> {
  return { 'Content-Type': `${PLAIN}${label}`, 'Content-Transfer-Encoding': '8bit' }
}

function html(label: string): Record<string, string> {
  return { 'Content-Type': `text/html; charset=${label}` }
}
