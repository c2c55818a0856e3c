import { describe, expect, test } from 'bun:test'
import { splitQuote } from '../../web/ticket/thread/quoted-text.ts'

const QUOTE = '> Hello Ana,\n> the invoice is attached.\n>\n> Ben'

/** What a mail program puts above a quote, by where it was seen. */
const ATTRIBUTIONS = {
  'Gmail, English': 'On Tue, Mar 3, 2026 at 9:30 AM Ben Okafor <ben@example.com> wrote:',
  'Gmail, English, two lines': 'On Tue, Mar 3, 2026 at 9:30 AM Ben Okafor <\nben@example.com> wrote:',
  'Apple Mail, English': 'On 3. Mar 2026, at 09:30, Ben Okafor <ben@example.com> wrote:',
  'Gmail, German': 'Am Di., 3. März 2026 um 09:30 Uhr schrieb Ben Okafor <ben@example.com>:',
  'Apple Mail, German': 'Am 03.03.2026 um 09:30 schrieb Ben Okafor <ben@example.com>:',
  'Thunderbird, German': 'Ben Okafor schrieb am 03.03.26 um 09:30:',
  'Gmail, French': 'Le mar. 3 mars 2026 à 09:30, Ben Okafor <ben@example.com> a écrit :',
  'Apple Mail, French': 'Le 3 mars 2026 à 09:30, Ben Okafor <ben@example.com> a écrit\u00a0:',
  'Gmail, Spanish': 'El mar, 3 mar 2026 a las 9:30, Ben Okafor (<ben@example.com>) escribió:',
  'Gmail, Portuguese': 'Em ter., 3 de mar. de 2026 às 09:30, Ben Okafor <ben@example.com> escreveu:',
  'Apple Mail, Portuguese': 'No dia 3 de mar. de 2026, às 09:30, Ben Okafor <ben@example.com> escreveu:',
  'Gmail, Italian': 'Il giorno mar 3 mar 2026 alle ore 09:30 Ben Okafor <ben@example.com> ha scritto:',
  'Gmail, Dutch': 'Op di 3 mrt 2026 om 09:30 schreef Ben Okafor <ben@example.com>:',
  'Gmail, Swedish': 'Den tis 3 mars 2026 kl 09:30 skrev Ben Okafor <ben@example.com>:',
  'Gmail, Polish': 'wt., 3 mar 2026 o 09:30 Ben Okafor <ben@example.com> napisał(a):',
}

describe('the quote below a reply is folded with the line above it:', () => {
  for (const [program, attribution] of Object.entries(ATTRIBUTIONS)) {
    test(program, () => {
      const below = `${attribution}\n\n${QUOTE}`
      expect(splitQuote(`Thanks!\n\n${below}\n`)).toEqual({ written: 'Thanks!', quoted: below })
    })
  }
})

const OUTLOOK = {
  'Outlook, English':
    '________________________________\nFrom: Ben Okafor <ben@example.com>\nSent: Tuesday, March 3, 2026 9:30 AM\nTo: Ana Pires\nSubject: Re: Invoice\n\nHello Ana,\nthe invoice is attached.',
  'Outlook, German, without a line':
    'Von: Ben Okafor <ben@example.com>\nGesendet: Dienstag, 3. März 2026 09:30\nAn: Ana Pires\nBetreff: AW: Rechnung\n\nHallo Ana,',
  'Outlook, French, a header over two lines':
    'De : Ben Okafor\n<ben@example.com>\nEnvoyé : mardi 3 mars 2026 09:30\nÀ : Ana Pires\nObjet : RE: Facture\n\nBonjour,',
  'Outlook Express':
    '-----Original Message-----\nFrom: Ben Okafor\nSent: Tuesday, March 3, 2026 9:30 AM\nTo: Ana Pires\n\nHello Ana,',
  'Outlook, German, with a line':
    '-----Ursprüngliche Nachricht-----\nVon: Ben Okafor\nGesendet: Dienstag, 3. März 2026 09:30\n\nHallo Ana,',
}

describe('a block of headers and all that follows is folded:', () => {
  for (const [program, below] of Object.entries(OUTLOOK)) {
    test(program, () => {
      expect(splitQuote(`Thanks!\n\nAna\n\n${below}`)).toEqual({ written: 'Thanks!\n\nAna', quoted: below })
    })
  }
})

describe('a message is shown in full:', () => {
  const whole = {
    'answers between the quoted lines':
      'See my answers below.\n\nOn Tue, Mar 3, 2026, Ben wrote:\n> Which browser?\nFirefox.\n\n> Since when?\nYesterday.',
    'an answer below the quote':
      'On Tue, Mar 3, 2026 at 9:30 AM Ben <ben@example.com> wrote:\n> Which browser?\n\nFirefox.',
    'quoted text without marks':
      'Hi,\n\nOn Tue, Mar 3, 2026 at 9:30 AM Ben wrote:\n\nWhich browser?\n\nFirefox.',
    'a line of underscores with text below': 'Before\n____________________\nAfter\nFrom: me',
    'a form with a From line': 'Pick up:\nFrom: Lisbon\nTo: Porto\nTwo people',
    'a forwarded message':
      'Please see below.\n\n---------- Forwarded message ---------\nFrom: Shop <shop@example.com>\nDate: Tue, Mar 3, 2026\nSubject: Order\n\nYour order has shipped.',
    'nothing but a quote': QUOTE,
    'no quote at all': 'On Monday I wrote:\nnothing.',
  }
  for (const [name, text] of Object.entries(whole)) {
    test(name, () => expect(splitQuote(text)).toEqual({ written: text, quoted: '' }))
  }
})

test('of several quotes only the last one, below everything written, is folded', () => {
  const text = '> Which browser?\nFirefox.\n\n> Since when?\n> And how often?'
  expect(splitQuote(text)).toEqual({
    written: '> Which browser?\nFirefox.',
    quoted: '> Since when?\n> And how often?',
  })
})
