import { afterAll, beforeAll, expect, test } from 'bun:test'
import PostalMime from 'postal-mime'
import { createMailDialer } from '../../server/channels/email/mail-account.ts'
import { composeEmail, type EmailContent } from '../../server/channels/email/outbound/compose.ts'
import { SmtpSession } from '../../server/channels/email/outbound/smtp-session.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import { writeCaFile } from '../support/certificates.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makeDkimKey, verifyDkim } from '../support/mail/dkim.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'

const SUPPORT = 'support@helpdesk.test'
const ANA = 'ana@customer.test'
const USERS = { [SUPPORT]: 'secret of support', [ANA]: 'secret of ana' }
const AUTH = { method: 'password', user: SUPPORT, password: 'secret of support' } as const
/** Large enough that the signature is made from a file on disk. */
const LARGE_BYTES = 9_000_000

// What else a server can say is in smtp-session.test.ts.
describeWithMail('a message submitted to Postfix', () => {
  let dovecot: Dovecot
  let postfix: Postfix
  let count = 0
  const sessions: SmtpSession[] = []
  const key = makeDkimKey()
  const dkim = {
    domain: 'helpdesk.test',
    selector: 'mail',
    privateKey: key.privateKey,
    temporaryFolder: temporaryFolder('dkim'),
  }

  beforeAll(async () => {
    dovecot = await startDovecot({ users: USERS })
    postfix = await startPostfix({ dovecot })
  })
  afterAll(async () => {
    for (const session of sessions) session.close()
    await postfix.stop()
    await dovecot.stop()
  })

  async function sessionWith(security: 'tls' | 'starttls'): Promise<SmtpSession> {
    const config = readConfig({ BELLHOP_MAIL_ALLOW: '127.0.0.1', BELLHOP_MAIL_CA: await writeCaFile() })
    const deps = { clock: systemClock, dialer: createMailDialer({ clock: systemClock, config }) }
    const port = security === 'tls' ? postfix.submissionsPort : postfix.submissionPort
    const session = new SmtpSession(deps, { host: '127.0.0.1', port, security, auth: AUTH }, 'helpdesk.test')
    sessions.push(session)
    return session
  }

  function email(): EmailContent {
    count++
    return {
      from: { name: 'Support, Inc', address: SUPPORT },
      to: [{ name: 'Änne', address: ANA }],
      cc: [],
      replyTo: { name: '', address: 'support+token@helpdesk.test' },
      subject: `Grüße ${count}`,
      text: '.\n..two\nFrom me\n\nGrüße\n',
      html: '<p>Grüße <img src="cid:lamp@helpdesk.test"></p>',
      files: [
        { name: 'Rechnung März.pdf', type: 'application/pdf', hash: 'large' },
        { name: 'lamp.png', type: 'image/png', hash: 'image', contentId: 'lamp@helpdesk.test' },
      ],
      messageId: `<msg_${count}@helpdesk.test>`,
      token: `msg_${count}.signature`,
      inReplyTo: null,
      references: [],
      date: Date.parse('2026-03-01T09:00:00Z'),
    }
  }

  async function* openFile(hash: string) {
    if (hash === 'image') yield Buffer.from('89504e470d0a1a0a', 'hex')
    else for (let sent = 0; sent < LARGE_BYTES; sent += 90_000) yield Buffer.alloc(90_000, sent % 251)
  }

  test.each(['tls', 'starttls'] as const)(
    'over %s arrives whole, and its signature is good',
    async (security) => {
      const session = await sessionWith(security)
      const content = email()
      const composed = composeEmail(content, { openFile, dkim })
      const before = (await dovecot.mails(ANA)).length
      const bytes = await composed.countBytes()
      const result = await session.submit({ from: SUPPORT, to: [ANA], body: composed.stream, bytes })
      expect(result).toMatchObject({ outcome: 'delivered', recipients: [{ fate: 'accepted' }] })
      const mails = await dovecot.waitForMails(ANA, before + 1)
      const arrived = mails.find(({ messageId }) => messageId === content.messageId)
      const raw = await dovecot.read(ANA, arrived?.uid ?? 0)
      expect(raw.toString()).toEndWith(Buffer.concat(await Array.fromAsync(composed.stream())).toString())
      const records = { 'mail._domainkey.helpdesk.test': key.record }
      expect(await verifyDkim(raw, records)).toEqual([{ domain: 'helpdesk.test', result: 'pass' }])
      const mail = await PostalMime.parse(raw)
      expect([mail.from?.name, mail.subject, mail.text?.trimEnd()]).toEqual([
        'Support, Inc',
        content.subject,
        content.text.trimEnd(),
      ])
      expect(mail.attachments.map(({ filename }) => filename).sort()).toEqual([
        'Rechnung März.pdf',
        'lamp.png',
      ])
      const invoice = mail.attachments.find(({ filename }) => filename?.endsWith('.pdf'))
      expect(Buffer.from(invoice?.content as ArrayBuffer).byteLength).toBe(LARGE_BYTES)
    },
  )
})
