import { afterAll, beforeAll, expect, test } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { makeCertificates } from '../support/certificates.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, startBellhopWithMail } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { eventually } from '../support/webhooks.ts'

const ADDRESS = 'support@acme.test'
interface Report {
  findings: { check: string; state: string; detail: string; advice: string }[]
}

describeWithMail('the doctor of mailboxes', () => {
  let dovecot: Dovecot
  let expired: Dovecot
  let postfix: Postfix

  beforeAll(async () => {
    const users = { [ADDRESS]: 'right' }
    const certificates = await makeCertificates()
    dovecot = await startDovecot({ users })
    expired = await startDovecot({ users, certificate: certificates.expired })
    postfix = await startPostfix({ dovecot })
  })

  afterAll(async () => {
    await Promise.all([dovecot, expired, postfix].map((one) => one?.stop()))
  })

  test('names the one whose password is refused, and the certificate that has expired', async () => {
    const bellhop = await startBellhopWithMail()
    const client = await bellhop.organization()
    const ana = await signInAgent(bellhop, client.orgId, { role: 'admin' })
    const ask = async (check: string) => {
      const { json } = await ana.call<Report>('GET', '/console/doctor')
      return json.findings.filter((one) => one.check === check)
    }
    const works = { dovecot, address: ADDRESS, password: 'right', smtpPort: postfix.port }
    await connectMailbox(bellhop, client, works)
    await eventually(async () => (await ask('mailbox'))[0]?.state === 'ok')
    const found = await ask('certificate')
    expect(found.map(({ state }) => state)).toEqual(['ok', 'ok'])
    // One with TLS from the start, and one with STARTTLS.
    expect(found.map(({ detail }) => detail).join()).toContain(
      `127.0.0.1:${dovecot.imapsPort} is valid until`,
    )
    expect(found.map(({ detail }) => detail).join()).toContain(`127.0.0.1:${postfix.port} is valid until`)

    const imap = {
      host: '127.0.0.1',
      port: dovecot.imapPort,
      security: 'starttls',
      user: ADDRESS,
      password: 'wrong',
    }
    const refused = { ...works, address: 'sales@acme.test', password: 'wrong', more: { imap } }
    const { id } = await connectMailbox(bellhop, client, refused)
    await connectMailbox(bellhop, client, { ...works, dovecot: expired, address: 'old@acme.test' })
    const mailboxes = await eventually(async () => {
      const states = await ask('mailbox')
      return states.filter(({ detail }) => detail.includes('failing')).length === 2 ? states : undefined
    })
    const sales = mailboxes.find(({ detail }) => detail.includes('sales@acme.test'))
    expect(sales?.detail).toContain('refused the sign-in')
    expect(sales?.advice).toContain(`bellhop mailbox test ${id}`)
    const certificates = await ask('certificate')
    expect(certificates.map(({ state }) => state)).toEqual(['error', 'ok', 'ok', 'ok'])
    expect(certificates[0]?.detail).toBe(
      `The certificate of 127.0.0.1:${expired.imapsPort} has expired, or is not valid yet.`,
    )
    expect(certificates.map(({ detail }) => detail).join()).toContain(
      `127.0.0.1:${dovecot.imapPort} is valid until`,
    )
    await bellhop.stop()
  })
})
