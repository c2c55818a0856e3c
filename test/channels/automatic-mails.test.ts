import { afterAll, describe, expect, test } from 'bun:test'
import type { AutomaticReason } from '../../server/channels/email/parse/parsed-mail.ts'
import { createTestParser, mailOf, multipartMail, OWN_SERVER, textMail } from '../support/mail/mail-parser.ts'

const parser = createTestParser()
afterAll(() => parser[Symbol.dispose]())

/** A header, and why its mail counts as automatic. */
const HEADERS: [header: string, reason: AutomaticReason | null][] = [
  ['Auto-Submitted: auto-replied', 'auto_submitted'],
  ['Auto-Submitted: auto-generated (vacation)', 'auto_submitted'],
  ['Auto-Submitted: no', null],
  ['X-Autoreply: yes', 'auto_submitted'],
  ['Precedence: bulk', 'precedence'],
  ['Precedence: List', 'precedence'],
  ['Precedence: first-class', null],
  ['X-Auto-Response-Suppress: All', 'auto_response_suppress'],
  ['X-Auto-Response-Suppress: DR, OOF, AutoReply', 'auto_response_suppress'],
  ['X-Auto-Response-Suppress: DR, RN', null],
  ['List-Id: <news.example.com>', 'mailing_list'],
  ['Return-Path: <>', 'empty_return_path'],
  ['Return-Path: <ana@example.com>', null],
  ['Subject: nothing special', null],
]

describe('a mail is automatic or a person’s by', () => {
  for (const [header, reason] of HEADERS) {
    test(header, async () => {
      expect((await parser.read(textMail('Hello', header))).automatic).toBe(reason)
    })
  }

  test('its sender', async () => {
    const senders = ['no-reply', 'noreply', 'DoNotReply', 'do_not_reply+7', 'mailer-daemon', 'bounces-3']
    for (const sender of senders) {
      const mail = textMail('Hello').replace('ana@', `${sender}@`)
      expect([sender, (await parser.read(mail)).automatic]).toEqual([sender, 'no_reply_sender'])
    }
    for (const sender of ['norah', 'replyguy', 'bouncer']) {
      const mail = textMail('Hello').replace('ana@', `${sender}@`)
      expect([sender, (await parser.read(mail)).automatic]).toEqual([sender, null])
    }
  })

  test('being a read receipt', async () => {
    const receipt = multipartMail('report; report-type=disposition-notification', [
      'Content-Type: text/plain\r\n\r\nYour mail was read.',
      'Content-Type: message/disposition-notification\r\n\r\nDisposition: manual-action; displayed',
    ])
    expect(await parser.read(receipt)).toMatchObject({ automatic: 'read_receipt', bounce: null })
  })
})

const NOTICE = 'Content-Type: text/plain\r\n\r\nI could not deliver your mail.'

describe('a bounce', () => {
  test('names the mail, each recipient, its fate and the words of the server', async () => {
    const status = mailOf(
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.bellhop.test',
      '',
      'Original-Recipient: rfc822;ana@example.com',
      'Final-Recipient: rfc822; ana+forwarded@example.net',
      'Action: failed',
      'Status: 5.1.1',
      'Diagnostic-Code: smtp; 550 5.1.1 <ana@example.com>:',
      '    no such user',
      '',
      'Final-Recipient: rfc822; ben@example.com',
      'Action: delayed',
      'Status: 4.4.1 (connection timed out)',
      '',
    )
    const original =
      'Content-Type: message/rfc822\r\n\r\nMessage-ID: <sent@bellhop.test>\r\nSubject: x\r\n\r\nHello'
    const mail = await parser.read(
      multipartMail('report; report-type=delivery-status', [NOTICE, status, original], 'Return-Path: <>'),
    )
    expect(mail.bounce).toEqual({
      originalMessageId: '<sent@bellhop.test>',
      recipients: [
        {
          address: 'ana@example.com',
          action: 'failed',
          status: '5.1.1',
          diagnostic: '550 5.1.1 <ana@example.com>: no such user',
        },
        { address: 'ben@example.com', action: 'delayed', status: '4.4.1', diagnostic: '' },
      ],
      text: 'I could not deliver your mail.',
    })
  })

  test('can contain only the headers of the mail, encoded', async () => {
    const headers = Buffer.from('Subject: x\r\nMessage-ID: <sent@bellhop.test>\r\n').toString('base64')
    const mail = await parser.read(
      multipartMail('report; report-type=delivery-status', [
        NOTICE,
        'Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822;<ana@example.com>\r\nAction: failed\r\nStatus: 5.0.0\r\n',
        `Content-Type: text/rfc822-headers\r\nContent-Transfer-Encoding: base64\r\n\r\n${headers}`,
      ]),
    )
    expect(mail.bounce).toMatchObject({
      originalMessageId: '<sent@bellhop.test>',
      recipients: [{ address: 'ana@example.com', action: 'failed' }],
    })
  })

  /** Notices of servers that write no report. */
  const NOTICES: Record<string, { mail: string; recipient: object }> = {
    qmail: {
      mail: mailOf(
        'Return-Path: <>',
        'From: MAILER-DAEMON@mx.example.com',
        'Subject: failure notice',
        '',
        'Hi. This is the qmail-send program at mx.example.com.',
        "I'm afraid I wasn't able to deliver your message to the following addresses.",
        '',
        '<ana@example.com>:',
        'Sorry, no mailbox here by that name. (#5.1.1)',
        '',
        '--- Below this line is a copy of the message.',
        '',
        'Message-ID: <sent@bellhop.test>',
        'To: <other@example.com>',
      ),
      recipient: { address: 'ana@example.com', action: 'failed', status: '5.1.1' },
    },
    Exim: {
      mail: mailOf(
        'Return-Path: <>',
        'X-Failed-Recipients: ana@example.com',
        'Auto-Submitted: auto-replied',
        'From: Mail Delivery System <Mailer-Daemon@mx.example.com>',
        'Subject: Mail delivery failed: returning message to sender',
        '',
        'A message that you sent could not be delivered to one or more of its recipients.',
        '',
        '  ana@example.com',
        '    SMTP error from remote mail server after RCPT TO:<ana@example.com>:',
        '    550 5.7.1 relaying denied',
        '',
        '------ This is a copy of the message, including all the headers. ------',
        '',
        'Message-ID: <sent@bellhop.test>',
      ),
      recipient: { address: 'ana@example.com', action: 'failed', status: '5.7.1' },
    },
    'a German server': {
      mail: mailOf(
        'From: postmaster@example.de',
        'Subject: Unzustellbar: Bestellung',
        '',
        'Ihre Nachricht hat die folgenden Empfänger nicht erreicht:',
        'ana@example.com (ana@example.com)',
        'Message-ID: <sent@bellhop.test>',
      ),
      recipient: { address: 'ana@example.com', action: 'failed' },
    },
  }
  for (const [server, { mail, recipient }] of Object.entries(NOTICES)) {
    test(`is known by the words of ${server}`, async () => {
      const { bounce } = await parser.read(mail)
      expect(bounce).toMatchObject({ originalMessageId: '<sent@bellhop.test>', recipients: [recipient] })
      expect(bounce?.recipients.length).toBe(1)
    })
  }

  test('is not a mail from a customer who writes about one, nor a mail of the postmaster', async () => {
    const subject = 'Subject: Undeliverable: your invoice'
    const text = 'My server says:\n\n<ben@example.com>:\nno such user'
    const fromCustomer = textMail(text).replace(/^Subject:.*$/m, subject)
    expect((await parser.read(fromCustomer)).bounce).toBeNull()
    const fromPostmaster = textMail('Your mailbox is full.\n').replace('ana@', 'postmaster@')
    expect((await parser.read(fromPostmaster)).bounce).toBeNull()
    const passedOn = multipartMail('mixed', [
      'Content-Type: text/plain\r\n\r\nWhat does this mean?',
      'Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822;ben@example.com\r\nAction: failed\r\nStatus: 5.0.0\r\n',
    ])
    expect(await parser.read(passedOn)).toMatchObject({
      bounce: null,
      attachments: [{ name: 'delivery-status.txt' }],
    })
  })
})

describe('who a sender is, is believed', () => {
  const own = (results: string) => `Authentication-Results: ${OWN_SERVER}; ${results}`

  test('from the mailbox’s own server', async () => {
    const results =
      'spf=pass (sender is 192.0.2.1; ok) smtp.mailfrom=example.com; dkim=fail reason="x"; dmarc=none'
    const mail = await parser.read(textMail('Hello', own(results)))
    expect(mail.authentication).toEqual({ spf: 'pass', dkim: 'fail', dmarc: 'none' })
  })

  test('from nobody else', async () => {
    const headers = ['evil.example.com', `x.${OWN_SERVER}`, `(${OWN_SERVER}) evil`, ''].map(
      (id) => `Authentication-Results: ${id}; dkim=pass; spf=pass; dmarc=pass`,
    )
    expect((await parser.read(textMail('Hello', ...headers))).authentication).toBeNull()
  })

  test('from the topmost of several headers, which is the newest', async () => {
    const mail = textMail('Hello', own('dmarc=fail'), own('dkim=pass'), own('dkim=fail; dmarc=pass'))
    expect((await parser.read(mail)).authentication).toEqual({ spf: 'none', dkim: 'pass', dmarc: 'fail' })
  })

  test('for one good signature of several', async () => {
    const mail = textMail('Hello', own('dkim=fail header.d=list.example; dkim=pass header.d=example.com'))
    expect((await parser.read(mail)).authentication?.dkim).toBe('pass')
  })
})
