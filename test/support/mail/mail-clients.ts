import { ImapFlow } from 'imapflow'
import { createTransport } from 'nodemailer'
import { makeCertificates } from '../certificates.ts'

/** A password, or a token for XOAUTH2. */
export type SignIn = { user: string } & ({ pass: string } | { accessToken: string })

/** Signs in by IMAP, trusting the private authority; STARTTLS unless `secure`. */
export async function asImapClient<T>(
  at: { port: number; secure?: boolean; auth: SignIn },
  work: (client: ImapFlow) => T | Promise<T>,
): Promise<T> {
  const { ca } = await makeCertificates()
  const options = { host: 'localhost', secure: false, doSTARTTLS: at.secure ? undefined : true, ...at }
  const client = new ImapFlow({ ...options, tls: { ca }, logger: false })
  // A broken connection also rejects what waits for it.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    client.close()
  }
}

/** Sends a short mail by SMTP, trusting the private authority; STARTTLS unless `secure`. Rejects with `responseCode` when it is refused. */
export async function submitMail(
  at: { port: number; secure?: boolean; withoutTls?: boolean; auth?: SignIn },
  mail: { from: string; to: string | string[]; messageId?: string; text?: string },
): Promise<{ accepted: string[]; rejected: string[] }> {
  const { ca } = await makeCertificates()
  const { port, secure = false, withoutTls = false, auth } = at
  const transport = createTransport({
    host: 'localhost',
    port,
    secure,
    requireTLS: !secure && !withoutTls,
    ignoreTLS: withoutTls,
    tls: { ca },
    ...(auth && { auth: 'pass' in auth ? auth : { type: 'OAuth2', ...auth } }),
  })
  try {
    const { accepted, rejected } = await transport.sendMail({ subject: 'reply', text: 'Hello', ...mail })
    return { accepted: accepted.map(String), rejected: rejected.map(String) }
  } finally {
    transport.close()
  }
}
