import { afterAll, describe, expect, test } from 'bun:test'
import { createTestParser, htmlMail, textMail } from '../support/mail/mail-parser.ts'

const parser = createTestParser()
afterAll(() => parser[Symbol.dispose]())

/** Lines above a quote, as mail programs write them. */
const ATTRIBUTIONS = [
  'On Tue, 3 Mar 2026 at 09:30, Acme Support <support@acme.test> wrote:',
  'On Mar 3, 2026, at 9:30 AM, Acme Support\n<support@acme.test> wrote:',
  'Am Di., 3. März 2026 um 09:30 Uhr schrieb Acme Support\n<support@acme.test>:',
  'Acme Support schrieb am 03.03.26 um 09:30:',
  'Le mar. 3 mars 2026 à 09:30, Acme Support <support@acme.test> a écrit :',
  'El mar, 3 mar 2026 a las 9:30, Acme Support (<support@acme.test>) escribió:',
  'Em ter., 3 de mar. de 2026 às 09:30, Acme Support <support@acme.test> escreveu:',
  'Il giorno mar 3 mar 2026 alle ore 09:30 Acme Support <support@acme.test> ha scritto:',
  'Op di 3 mrt 2026 om 09:30 schreef Acme Support <support@acme.test>:',
  'Den tis 3 mars 2026 kl 09:30 skrev Acme Support <support@acme.test>:',
  'wt., 3 mar 2026 o 09:30 Acme Support <support@acme.test> napisał(a):',
  'út 3. 3. 2026 v 9:30 odesílatel Acme Support <support@acme.test> napsal:',
  'вт, 3 мар. 2026 г. в 09:30, Acme Support <support@acme.test>:\nпишет:',
  '3 Mar 2026 Sal, 09:30 tarihinde Acme Support <support@acme.test> şunu yazdı:',
  '2026年3月3日(火) 9:30 Acme Support <support@acme.test> のメール:',
]

describe('an answer is cut off from the mail below it', () => {
  for (const attribution of ATTRIBUTIONS) {
    test(attribution.replaceAll('\n', ' '), async () => {
      const mail = await parser.read(textMail(`It arrived.\n\n${attribution}\n\n> Where is it?\n>> Gone\n`))
      expect([mail.text, mail.quoted]).toEqual(['It arrived.', `${attribution}\n\n> Where is it?\n>> Gone`])
    })
  }

  test('without any line above the quote', async () => {
    const mail = await parser.read(textMail('It arrived.\n\n> Where is it?'))
    expect([mail.text, mail.quoted]).toEqual(['It arrived.', '> Where is it?'])
  })

  test('with a footer of a mailing list or a signature below the quote', async () => {
    for (const footer of [
      '-- \nAna Ruiz',
      '_______________________________________________\nList mailing list',
    ]) {
      const mail = await parser.read(textMail(`It arrived.\n\n> Where is it?\n\n${footer}`))
      expect([mail.text, mail.quoted]).toEqual(['It arrived.', `> Where is it?\n\n${footer}`])
    }
  })

  test('with the quote above it', async () => {
    const quote = 'On 3 Mar 2026, Acme Support wrote:\n> Where is it?\n> Tell us.'
    const mail = await parser.read(textMail(`${quote}\n\nIt arrived.\n-- \nAna`))
    expect([mail.text, mail.quoted]).toEqual(['It arrived.\n-- \nAna', quote])
  })

  test('as Outlook writes it, in each language', async () => {
    const blocks = [
      'From: Acme Support <support@acme.test>\nSent: Tuesday, March 3, 2026 9:30 AM\nTo: Ana\nSubject: Order',
      'Von: Acme Support <support@acme.test>\nGesendet: Dienstag, 3. März 2026 09:30\nAn: Ana\nBetreff: Order',
      'De : Acme Support <support@acme.test>\nEnvoyé : mardi 3 mars 2026 09:30\nÀ : Ana\nObjet : Order',
      'De: Acme Support <support@acme.test>\nEnviado el: martes, 3 de marzo de 2026 9:30\nPara: Ana',
      'Van: Acme Support <support@acme.test>\nVerzonden: dinsdag 3 maart 2026 09:30\nAan: Ana',
      '*From:* Acme Support <support@acme.test>\n*Date:* Tuesday, March 3, 2026\n*To:* Ana',
      '-----Original Message-----\nFrom: Acme Support\nSent: Tuesday, March 3, 2026 9:30 AM',
      '________________________________\nFrom: Acme Support <support@acme.test>\nSent: Tuesday, March 3',
    ]
    for (const block of blocks) {
      const mail = await parser.read(textMail(`It arrived.\n\n${block}\n\nWhere is it?`))
      expect([mail.text, mail.quoted]).toEqual(['It arrived.', `${block}\n\nWhere is it?`])
    }
  })

  test('as some phones write it: an attribution with a date, and no marks', async () => {
    const quote =
      'On Tuesday, March 3, 2026, 9:30 AM, Acme Support <support@acme.test> wrote:\n\nWhere is it?'
    const mail = await parser.read(textMail(`It arrived.\n\nSent from my phone\n\n${quote}`))
    expect([mail.text, mail.quoted]).toEqual(['It arrived.\n\nSent from my phone', quote])
  })
})

/** Texts that hold nothing to hide, though they look like it. */
const WHOLE: Record<string, string> = {
  'answers between the lines of a quote': '> Where?\n\nAt home.\n\n> When?\n\nToday.',
  'an answer above, and answers between': 'See my answers.\n\n> Where?\nAt home.\n> When?\nToday.',
  'a mail that is nothing but a quote': '> Where is it?\n> Tell us.',
  'a forwarded mail':
    'Please look.\n\n---------- Forwarded message ---------\nFrom: Ben <ben@example.com>\nDate: Tue, 3 Mar 2026\nSubject: Order\n\nIt broke.',
  'answers inside a quote without marks, which the writer mentions':
    'See my answers below in red.\n\nFrom: Acme Support\nSent: Tuesday, March 3\n\nWhere is it? At home.',
  'a sentence that ends in "wrote:"': 'Ana wrote:\n\nThe parcel broke.',
  'a signature': 'It arrived.\n-- \nAna Ruiz\n+34 600 000 000',
  'a list of headers of one’s own': 'From: Berlin\nTo: Paris\nWhen: Tuesday',
}

describe('nothing is cut off from', () => {
  for (const [name, text] of Object.entries(WHOLE)) {
    test(name, async () => {
      const mail = await parser.read(textMail(text))
      expect([mail.text, mail.quoted]).toEqual([text, ''])
    })
  }
})

test('only the end of the quote is cut off below the last answer', async () => {
  const answers = 'Hi,\n\n> Where?\nAt home.\n> When?\nToday.'
  const mail = await parser.read(textMail(`${answers}\n\n> Best regards\n> Acme`))
  expect([mail.text, mail.quoted]).toEqual([answers, '> Best regards\n> Acme'])
})

/** What mail programs put around the quoted mail in HTML. */
const CONTAINERS: Record<string, string> = {
  Gmail:
    '<div dir="ltr">It arrived.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">On Tue, Mar 3, 2026 at 9:30 AM Acme &lt;<a href="mailto:s@acme.test">s@acme.test</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0"><p>Where is it?</p></blockquote></div>',
  'Apple Mail':
    '<body>It arrived.<br><div><blockquote type="cite"><div>On Mar 3, 2026, at 9:30 AM, Acme &lt;s@acme.test&gt; wrote:</div><br><div>Where is it?</div></blockquote></div></body>',
  Thunderbird:
    '<p>It arrived.</p><div class="moz-cite-prefix">On 3/3/26 09:30, Acme wrote:<br></div><blockquote type="cite" cite="mid:x"><p>Where is it?</p></blockquote>',
  Outlook:
    '<div class="WordSection1"><p class="MsoNormal">It arrived.</p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p><b>From:</b> Acme &lt;s@acme.test&gt;<br><b>Sent:</b> Tuesday, March 3, 2026 9:30 AM<br><b>To:</b> Ana</p></div><p>Where is it?</p></div>',
  'Outlook on the web':
    '<div>It arrived.</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Acme &lt;s@acme.test&gt;<br><b>Sent:</b> Tuesday, March 3, 2026<br><b>To:</b> Ana</div><div>Where is it?</div>',
  Yahoo:
    '<div>It arrived.</div><div id="yahoo_quoted_1" class="yahoo_quoted"><div>On Tuesday, March 3, 2026, Acme wrote:</div><div>Where is it?</div></div>',
  Proton:
    '<div>It arrived.</div><div class="protonmail_quote">On Tuesday, March 3rd, 2026 at 9:30 AM, Acme &lt;s@acme.test&gt; wrote:<br><blockquote type="cite">Where is it?</blockquote></div>',
}

describe('the text of an HTML mail is cut off from the quote that', () => {
  for (const [program, html] of Object.entries(CONTAINERS)) {
    test(`${program} marks`, async () => {
      const mail = await parser.read(htmlMail(html))
      expect(mail.text).toBe('It arrived.')
      expect(mail.quoted).toContain('Where is it?')
    })
  }

  test('nobody marks: a quotation of one’s own', async () => {
    const mail = await parser.read(htmlMail('<p>It says:</p><blockquote>Not found</blockquote><p>Why?</p>'))
    expect([mail.text, mail.quoted]).toEqual(['It says:\n\nNot found\n\nWhy?', ''])
  })
})
