import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openImap } from '../../server/channels/email/imap/imap-session.ts'
import { createMailDialer, type MailAccount } from '../../server/channels/email/mail-account.ts'
import { MailServerError } from '../../server/channels/email/mail-server-error.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import { makeCertificates } from '../support/certificates.ts'
import { startCutProxy } from '../support/mail/cut-proxy.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'

const USER = 'support@helpdesk.test'
const PASSWORD = 'secret'

describeWithMail('an IMAP session', () => {
  let dovecot: Dovecot
  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [USER]: PASSWORD } })
  })
  afterAll(() => dovecot.stop())

  async function open(
    more: Partial<MailAccount> = {},
    signal?: AbortSignal,
    limits?: Parameters<typeof openImap>[3],
  ) {
    const config = readConfig({ BELLHOP_MAIL_ALLOW: '127.0.0.0/8' })
    const { ca } = await makeCertificates()
    const dialer = createMailDialer({ clock: systemClock, config: { ...config, mailCa: ca } })
    const account: MailAccount = {
      host: '127.0.0.1',
      port: dovecot.imapsPort,
      security: 'tls',
      auth: { method: 'password', user: USER, password: PASSWORD },
      ...more,
    }
    return openImap({ clock: systemClock, dialer }, account, signal, limits)
  }

  test('fetches mails above a UID, in order, and nothing past the end', async () => {
    for (const name of ['one', 'two', 'three']) dovecot.deliver(USER, `Subject: ${name}\r\n\r\n${name}`)
    await using session = await open()
    const { uidNext, exists } = await session.select('INBOX')
    expect([uidNext, exists]).toEqual([4, 3])
    expect(await subjects(session.fetchAfter(1, uidNext - 1))).toEqual(['two', 'three'])
    expect(await subjects(session.fetchAfter(3, 3))).toEqual([])
    expect(await subjects(session.fetchAfter(3, 900))).toEqual([])
    expect((await dovecot.mails(USER)).some(({ flags }) => flags.has('\\Seen'))).toBe(false)
    await dovecot.removeMails(USER, 'all')
  })

  test('streams a large mail, and a cut inside it is an error', async () => {
    const body = 'x'.repeat(70).concat('\r\n').repeat(40_000)
    dovecot.deliver(USER, `Subject: large\r\n\r\n${body}`)
    await dovecot.waitForMails(USER, 1)
    await using session = await open()
    const { uidNext } = await session.select('INBOX')
    for await (const { size, source } of session.fetchAfter(0, uidNext - 1)) {
      if (!source) throw new Error('no source')
      expect((await bytesOf(source)).byteLength).toBe(size)
    }
    const proxy = await startCutProxy({ port: dovecot.imapsPort })
    proxy.cut({ of: 'server', afterBytes: 500_000, does: 'cut' })
    await using cut = await open({ port: proxy.port })
    await cut.select('INBOX')
    const reading = subjects(cut.fetchAfter(0, uidNext - 1))
    await expect(reading).rejects.toMatchObject({ name: 'MailServerError', code: 'reset' })
    await proxy.stop()
    await dovecot.removeMails(USER, 'all')
  })

  test('a server that hangs is given up, before it says anything and inside a mail', async () => {
    const limits = { dial: 20_000, greeting: 20_000, silence: 3_000 }
    const proxy = await startCutProxy({ port: dovecot.imapsPort })
    const { port } = proxy
    proxy.cut({ of: 'server', afterBytes: 0, does: 'stall' })
    const dead = open({ port }, undefined, { ...limits, dial: 100 })
    await expect(dead).rejects.toMatchObject({ code: 'connect_timeout' })
    dovecot.deliver(USER, `Subject: large\r\n\r\n${'x'.repeat(70).concat('\r\n').repeat(10_000)}`)
    await dovecot.waitForMails(USER, 1)
    proxy.cut({ of: 'server', afterBytes: 300_000, does: 'stall' })
    await using session = await open({ port }, undefined, limits)
    const { uidNext } = await session.select('INBOX')
    const reading = subjects(session.fetchAfter(0, uidNext - 1))
    // The library ends the connection, and tells no more than that.
    await expect(reading).rejects.toMatchObject({ name: 'MailServerError', code: 'reset' })
    await proxy.stop()
    await dovecot.removeMails(USER, 'all')
  })

  test('tells of a mail that arrives while it waits, and of one that arrived before', async () => {
    await using session = await open({ security: 'starttls', port: dovecot.imapPort })
    await session.select('INBOX')
    const news = session.waitForNews('INBOX', 60_000)
    dovecot.deliver(USER, 'Subject: news\r\n\r\n')
    await news
    const { uidNext } = await session.select('INBOX')
    expect(await subjects(session.fetchAfter(0, uidNext - 1))).toEqual(['news'])
    await dovecot.removeMails(USER, 'all')
  })

  test('says what went wrong: sign-in, folder, TLS, a stop', async () => {
    const auth = { method: 'password', user: USER, password: 'wrong' } as const
    await expect(open({ auth })).rejects.toMatchObject({ code: 'sign_in_refused', step: 'sign_in' })
    await using session = await open()
    await expect(session.select('Missing')).rejects.toMatchObject({ code: 'folder_missing' })
    await expect(open({ port: dovecot.imapPort })).rejects.toMatchObject({ step: 'tls' })
    const abort = new AbortController()
    await using waiting = await open({}, abort.signal)
    await waiting.select('INBOX')
    const news = waiting.waitForNews('INBOX', 60_000)
    abort.abort()
    await expect(news).rejects.toBeInstanceOf(MailServerError)
  })

  test('stores a copy in a folder, as read', async () => {
    await using session = await open()
    await dovecot.createFolder(USER, 'Sent')
    await session.append('Sent', Buffer.from('Subject: copy\r\n\r\n'))
    expect((await dovecot.mails(USER, 'Sent')).map(({ flags }) => flags.has('\\Seen'))).toEqual([true])
    expect(await session.folders()).toContain('Sent')
  })
})

type Mails = AsyncIterable<{ source: Uint8Array | AsyncIterable<Uint8Array> | null }>

async function subjects(mails: Mails): Promise<string[]> {
  const found: string[] = []
  for await (const { source } of mails) {
    const raw = source ? Buffer.from(await bytesOf(source)).toString() : ''
    found.push(/^Subject: (.*)\r$/m.exec(raw)?.[1] ?? '')
  }
  return found
}

async function bytesOf(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return source instanceof Uint8Array ? source : Buffer.concat(await Array.fromAsync(source))
}
