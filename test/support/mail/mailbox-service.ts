import { createMailbox } from '../../../server/channels/email/mailboxes/mailboxes.ts'
import type { Clock } from '../../../server/clock.ts'
import { type Bellhop, type Client, startBellhop } from '../bellhop.ts'
import { makeCertificates } from '../certificates.ts'
import { temporaryFolder } from '../folder.ts'
import type { Dovecot } from './dovecot.ts'

/** Settings with which Bellhop trusts the mail servers of the tests. */
export async function mailSettings(): Promise<Record<string, string>> {
  const { ca } = await makeCertificates()
  const file = `${temporaryFolder('mail-ca')}/ca.pem`
  await Bun.write(file, ca)
  return { BELLHOP_MAIL_ALLOW: '127.0.0.0/8', BELLHOP_MAIL_CA: file }
}

/** Starts Bellhop for the mail servers of the tests. */
export async function startBellhopWithMail(given: { clock?: Clock } = {}): Promise<Bellhop> {
  return startBellhop({ ...given, settings: await mailSettings() })
}

/** Connects a mailbox of a Dovecot, which also submits mail if an SMTP port is given. */
export async function connectMailbox(
  { deps }: Pick<Bellhop, 'deps'>,
  { orgId }: Pick<Client, 'orgId'>,
  given: {
    dovecot: Pick<Dovecot, 'imapsPort'>
    address: string
    password: string
    smtpPort?: number
    more?: object
  },
): Promise<{ id: string; address: string }> {
  const { address, password } = given
  const server = { host: '127.0.0.1', user: address, password }
  return createMailbox(deps, orgId, {
    name: 'Support',
    address,
    imap: { ...server, port: given.dovecot.imapsPort, security: 'tls' },
    smtp: { ...server, port: given.smtpPort ?? 1, security: 'starttls' },
    ...given.more,
  })
}
