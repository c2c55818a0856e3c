import { afterAll, describe, expect, test } from 'bun:test'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { startBellhop } from '../support/bellhop.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { createTestParser, htmlMail, multipartMail, textMail } from '../support/mail/mail-parser.ts'
import { mailSettings } from '../support/mail/mailbox-service.ts'
import { startReceiver } from '../support/receiver.ts'

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
  '2026年3月5日(木) 12:34 Acme Support <support@acme.test>:',
  'On 3. Mar 2026, at 09:30, Acme Support <support@acme.test> wrote:',
  'Am 03.03.2026 um 09:30 schrieb Acme Support <support@acme.test>:',
  'Le 3 mars 2026 à 09:30, Acme Support <support@acme.test> a écrit\u00a0:',
  'No dia 3 de mar. de 2026, às 09:30, Acme Support <support@acme.test> escreveu:',
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
      const mail = await parser.read(textMail(`It arrived.\n\n${WROTE}\n> Where is it?\n\n${footer}`))
      expect([mail.text, mail.quoted]).toEqual(['It arrived.', `${WROTE}\n> Where is it?\n\n${footer}`])
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
      'De : Acme Support\n<support@acme.test>\nEnvoyé : mardi 3 mars 2026 09:30\nÀ : Ana\nObjet : Order',
      '-----Original Message-----\nFrom: Acme Support\nSent: Tuesday, March 3, 2026 9:30 AM',
      '-----Ursprüngliche Nachricht-----\nVon: Acme Support\nGesendet: Dienstag, 3. März 2026 09:30',
      '________________________________\nFrom: Acme Support <support@acme.test>\nSent: Tuesday, March 3\nTo: Ana',
      '------------------ 原始邮件 ------------------\n发件人: "Acme" <support@acme.test>;\n发送时间: 2026年3月3日(星期二) 上午9:30\n收件人: "Ana" <ana@example.com>;',
      '------------------\u00a0Original\u00a0------------------\nFrom:\u00a0"Acme"<support@acme.test>;\nDate:\u00a0Tue, Mar 3, 2026',
    ]
    for (const block of blocks) {
      const mail = await parser.read(textMail(`It arrived.\n\n${block}\n\nWhere is it?`))
      expect([mail.text, mail.quoted]).toEqual(['It arrived.', `${block}\n\nWhere is it?`])
    }
  })

  test('as some phones write it: an attribution without marks, and a quote element in the HTML', async () => {
    const quote =
      'On Tuesday, March 3, 2026, 9:30 AM, Acme Support <support@acme.test> wrote:\n\nWhere is it?'
    const text = `It arrived.\n\nSent from my phone\n\n${quote}`
    const html = CONTAINERS.Yahoo ?? ''
    const read = (htmlPart: string) =>
      parser.read(
        multipartMail('alternative', [
          `Content-Type: text/plain; charset=utf-8\r\n\r\n${text.replaceAll('\n', '\r\n')}`,
          `Content-Type: text/html; charset=utf-8\r\n\r\n${htmlPart}`,
        ]),
      )
    const marked = await read(html)
    expect([marked.text, marked.quoted]).toEqual(['It arrived.\n\nSent from my phone', quote])
    const unmarked = await read('<p>It arrived.</p>')
    expect([unmarked.text, unmarked.quoted]).toEqual([text, ''])
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

const HEADERS =
  'From: Acme <support@acme.test>\nSent: Tuesday, March 3, 2026 9:30 AM\nTo: Ana\nSubject: Order'
const VON = 'Von: Acme <support@acme.test>\nDatum: 3. März 2026\nAn: Ana\nBetreff: Bestellung'
const WROTE = 'On Tue, 3 Mar 2026 at 09:30, Acme <support@acme.test> wrote:'

/** Texts by hand: what was written, and the quote below it. */
const BY_HAND: [written: string, quoted: string][] = [
  ['Please change my booking:\n\nFrom: Berlin\nTo: Paris\nDate: 5 March\n\nThanks', ''],
  ['My trip:\nFrom: Berlin, Zoo\nDate: 5 March 2026\nTo: Paris, Nord\nTwo adults', ''],
  ['Bitte umbuchen:\n\nVon: Berlin\nDatum: 5. März\nAn: Paris\n\nDanke', ''],
  ['Meine Buchung:\nVon: Köln\nGesendet: gestern\nNach: Wien', ''],
  ['Réservation :\nDe : Lyon\nDate : 5 mars\nÀ : Nice\nMerci', ''],
  ['Cambio:\nDe: Madrid\nFecha: 5 de marzo\nPara: Sevilla\nGracias', ''],
  ['New enquiry\n\nFrom: Ana Ruiz\nDate: 5 March 2026\nMessage: The parcel never came.', ''],
  ['New enquiry\n\nFrom: ana@example.com\nDate: 5 March 2026\nMessage: Nothing came.', ''],
  ['Form\n\nFrom: ana@example.com\nDate: 5 March\nSubject: Parcel\nMessage: Nothing came.', ''],
  ['On 3 March your colleague wrote:\n\nWe will come at noon.\n\nbut nothing came', ''],
  ['Hi,\nOn 3 March 2026 at 9:30 Ben wrote:\n“It is on its way”\nbut nothing came.', ''],
  ['Guten Tag,\nAm 3. März schrieb Ihr Kollege:\nDas Paket kommt.\nEs kam nichts.', ''],
  ['Le 3 mars, votre collègue a écrit :\nIl arrive.\nRien.', ''],
  ['As I said:\n\nFrom: Ana <ana@example.com> and Ben\n\nwe both wait.', ''],
  ...['Message:', 'Comments:', 'Anfrage:', 'Your message:', 'Votre message :'].map(
    (label): [string, string] => [
      `New message from your website\nFrom: Ana <ana@x.test>\nDate: 5 March 2026\nSubject: Broken lamp\n${label}\nMy lamp arrived broken.`,
      '',
    ],
  ),
  [
    'Neue Nachricht\nVon: ana@x.test\nDatum: 5. März 2026\nBetreff: Lampe\nIhre Nachricht: Die Lampe ist kaputt',
    '',
  ],
  [
    'Booking change\nFrom: Berlin\nPassenger: ana@x.test\nDate: 5 March\nTo: Paris\nPlease change it to the 6th, I am ill.',
    '',
  ],
  ['Hi Ben,\n> Which lamp?\n-- \nThe blue one, order 4711.\nPlease send it to my new address.', ''],
  ['Hi Ben,\n> Which lamp?\n____________________\nThe blue one, order 4711.', ''],
  ['Hi,\n-----Original Message-----\nFrom: Berlin we left at nine\nand nobody came.', ''],
  ['My shell prints:\n> run\n> failed', ''],
  ['My shell prints:\n> run\n> failed\nWhat now?', ''],
  ['It arrived.', `${WROTE}\n> Where is it?`],
  ['It arrived.', `${HEADERS}\n\nWhere is it?`],
  ['Ist da.', `${VON}\n\nWo ist es?`],
  ['From: Berlin\nTo: Paris\nDate: 5 March\nThanks', `${HEADERS}\n\nWhere to?`],
  [
    '收到了',
    '------------------ 原始邮件 ------------------\n发件人: "Acme" <support@acme.test>;\n\n在哪里？',
  ],
]

test('the words of a customer reach the API and the webhooks, and quotes do not', async () => {
  await using stack = new AsyncDisposableStack()
  const receiver = await startReceiver()
  stack.defer(() => receiver.stop())
  const settings = {
    BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
    BELLHOP_WEBHOOK_CA: (await mailSettings()).BELLHOP_MAIL_CA ?? '',
  }
  const bellhop = await startBellhop({ settings })
  stack.defer(() => bellhop.stop())
  const client = await bellhop.organization()
  const ledger = await openLedger(bellhop, client.orgId)
  const endpoint = { url: receiver.url, events: ['message.sent'] }
  await createEndpoint(bellhop.deps, client.orgId, endpoint)
  const texts: string[] = []
  for (const [at, [written, quoted]] of BY_HAND.entries()) {
    const raw = textMail(`${written}\n\n${quoted}`).replace('<one@', `<${at}@`)
    const { ticketId } = await ledger.fetched(raw)
    const { json } = await client.call<{ messages: { text: string }[] }>('GET', `/tickets/${ticketId}`)
    texts.push(json.messages[0]?.text ?? '')
  }
  const wanted = BY_HAND.map(([written]) => written)
  expect(texts).toEqual(wanted)
  const hooks = await Promise.all(BY_HAND.map(() => receiver.next()))
  const sent = hooks.map(({ body }) => JSON.parse(Buffer.from(body).toString()).data.message.text)
  expect(sent.sort()).toEqual(wanted.toSorted())
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
