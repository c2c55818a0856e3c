import { type AwkwardMail, rawMail, utf8 } from './awkward-mail.ts'

const REFERENCES = 1_000
const RECIPIENTS = 20_000
const MB = 1_000_000

/** Headers: missing, repeated, forged, huge. */
export const AWKWARD_HEADERS: AwkwardMail[] = [
  mailWith('No Message-ID', { 'Message-ID': null }),
  mailWith('An empty Message-ID', { 'Message-ID': '' }),
  mailWith('A Message-ID without brackets', { 'Message-ID': 'just some words' }),
  mailWith('A Message-ID of 10,000 characters', { 'Message-ID': `<${'x'.repeat(10_000)}@awkward.test>` }),
  { ...mailWith('No From', { From: null }), sender: null },
  { ...mailWith('An empty From', { From: '' }), sender: null },
  { ...mailWith('A From without an address', { From: 'Ana Ruiz' }), sender: null },
  { ...mailWith('A From of a group', { From: 'undisclosed-recipients:;' }), sender: null },
  {
    ...mailWith('Two addresses in From', { From: 'first@customer.test, second@customer.test' }),
    sender: 'first@customer.test',
  },
  {
    ...mailWith('An address as the name of another', {
      From: '"ceo@helpdesk.test" <stranger@customer.test>',
    }),
    sender: 'stranger@customer.test',
  },
  {
    ...mailWith('A From with comments and quotes', {
      From: '(one) "Ruiz, \\"Ana\\" (x)" <ana.ruiz@customer.test> (two)',
    }),
    sender: 'ana.ruiz@customer.test',
  },
  mailWith('An international address', { From: utf8('Žofie <žofie@příklad.test>') }),
  mailWith('A From with a line break in the name', {
    From: '=?utf-8?Q?Ana=0D=0ABcc:_eve@evil.test?= <ana.break@customer.test>',
  }),
  {
    name: 'Two From headers',
    make: () => Buffer.from(`From: other@customer.test\r\n${rawMail('Two From headers')}`),
  },
  { ...mailWith('No subject', { Subject: null }), subject: '' },
  mailWith('CR LF in the subject', { Subject: '=?utf-8?B?T25lDQpCY2M6IGV2ZUBldmlsLnRlc3QNCg0KYm9keQ==?=' }),
  mailWith('A bare CR in the subject', { Subject: 'One\rBcc: eve@evil.test' }),
  mailWith('A subject of 100,000 characters', { Subject: `${'word '.repeat(20_000)}end` }),
  mailWith('A subject of control characters', { Subject: 'a\x07b\x1b[31mc\x7f' }),
  mailWith('A subject written from right to left', { Subject: utf8('\u202egnp.exe\u2066 invoice') }),
  mailWith('No date', { Date: null }),
  mailWith('A date that is none', { Date: 'yesterday, around noon' }),
  mailWith('A date in the year 9999', { Date: 'Fri, 31 Dec 9999 23:59:59 +0000' }),
  mailWith('A date before 1970', { Date: 'Thu, 01 Jan 1903 00:00:00 +0000' }),
  mailWith('1,000 references', {
    References: Array.from({ length: REFERENCES }, (_, n) => `<r${n}@awkward.test>`).join('\r\n '),
    'In-Reply-To': `<r${REFERENCES - 1}@awkward.test>`,
  }),
  mailWith('References that are no ids', {
    References: 'Your message of "Monday" <',
    'In-Reply-To': '>>> <<',
  }),
  mailWith('20,000 recipients', {
    To: Array.from({ length: RECIPIENTS }, (_, n) => `Person ${n} <p${n}@many.test>`).join(',\r\n '),
  }),
  mailWith('A header of 1 MB', { 'X-Long': `${'word '.repeat(14)}\r\n `.repeat(MB / 73).concat('end') }),
  mailWith('A header line of 1 MB', { 'X-Long': 'x'.repeat(MB) }),
  {
    name: '20,000 headers',
    make: () =>
      Buffer.concat([
        Buffer.from(Array.from({ length: 20_000 }, (_, n) => `X-H${n}: value\r\n`).join('')),
        rawMail('20,000 headers'),
      ]),
  },
  {
    name: 'A header without a colon',
    make: () => Buffer.from(`Hello there\r\n${rawMail('A header without a colon')}`),
  },
  {
    name: 'An mbox line first',
    make: () => Buffer.from(`From ana@x Tue Mar  3 09:30:00 2026\r\n${rawMail('An mbox line first')}`),
  },
  mailWith('A Content-Type that is none', { 'Content-Type': ';;; = "' }),
  mailWith('A Reply-To of our own', { 'Reply-To': 'support@helpdesk.test' }),
  mailWith('An unknown list', { 'List-Id': '<list.awkward.test>', Precedence: 'bulk', 'Return-Path': '<>' }),
  { name: 'Nothing', make: () => Buffer.alloc(0), sender: null },
  { name: 'A blank line', make: () => Buffer.from('\r\n'), sender: null },
  {
    name: 'Headers only',
    make: () => Buffer.from(rawMail('Headers only').toString('latin1').split('\r\n\r\n')[0] ?? '', 'latin1'),
  },
  { name: 'A body only', make: () => Buffer.from('\r\nHello\r\n'), sender: null, text: 'Hello' },
  { name: 'Random bytes', make: randomBytes },
]

function mailWith(name: string, headers: Record<string, string | null>): AwkwardMail {
  return { name, make: () => rawMail(name, headers) }
}

/** The same each time. */
function randomBytes(): Buffer {
  const bytes = Buffer.alloc(50_000)
  let state = 1
  for (let n = 0; n < bytes.length; n += 1) {
    state = (state * 48_271) % 2_147_483_647
    bytes[n] = state & 0xff
  }
  return bytes
}
