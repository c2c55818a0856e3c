import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type ImapSession, openImap } from '../../server/channels/email/imap/imap-session.ts'
import type { MailAccount } from '../../server/channels/email/mail-account.ts'
import { MailServerError } from '../../server/channels/email/mail-server-error.ts'
import { systemClock } from '../../server/clock.ts'
import { createAddressPolicy } from '../../server/network/address-policy.ts'
import { createDialer } from '../../server/network/dial.ts'
import { makeCertificates } from '../support/certificates.ts'
import { startCutProxy } from '../support/mail/cut-proxy.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { type ImapScript, startImapScript } from '../support/mail/imap-script.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { type OauthServer, startOauthServer } from '../support/mail/oauth-server.ts'

const SECURITIES = ['tls', 'starttls'] as const
const HALF_MIB = 524_288
const certificates = await makeCertificates()
const begun: (() => unknown)[] = []

afterEach(async () => {
  for (const end of begun.splice(0).reverse()) await end()
})

interface Given extends Partial<MailAccount> {
  allow?: string[]
  ca?: string
  signal?: AbortSignal
  limits?: Parameters<typeof openImap>[3]
}

async function openAt(port: number, user: string, given: Given = {}): Promise<ImapSession> {
  const { allow = ['127.0.0.1'], ca = certificates.ca, signal, limits, ...account } = given
  const policy = createAddressPolicy(allow)
  const dialer = createDialer({ clock: systemClock, policy, ca, resolve: async () => ['127.0.0.1'] })
  const auth = { method: 'password', user, password: 'secret' } as const
  const session = await openImap(
    { clock: systemClock, dialer },
    { host: 'hooks.test', port, security: 'tls', auth, ...account },
    signal,
    limits,
  )
  begun.push(() => session[Symbol.asyncDispose]())
  return session
}

async function failureOf(opening: Promise<unknown>) {
  const error = await opening.then(
    () => undefined,
    (reason) => reason,
  )
  return { step: error?.step, code: error?.code, message: error?.message }
}

function mail(number: number): string {
  return `Subject: Mail ${number}\r\n\r\nHello ${number}\r\n`
}

async function fetched(session: ImapSession, upTo: number): Promise<{ uid: number; bytes: Buffer }[]> {
  const mails: { uid: number; bytes: Buffer }[] = []
  for await (const { uid, source } of session.fetchAfter(0, upTo)) {
    if (!source) throw new Error(`Mail ${uid} has no bytes.`)
    const pieces = source instanceof Uint8Array ? [source] : await Array.fromAsync(source)
    mails.push({ uid, bytes: Buffer.concat(pieces) })
  }
  return mails
}

describeWithMail('a mailbox at Dovecot', () => {
  let dovecot: Dovecot
  let oauth: OauthServer
  let users = 0
  let user = ''

  beforeAll(async () => {
    oauth = await startOauthServer()
    dovecot = await startDovecot({ users: {}, tokenInfo: oauth.tokenInfo })
  })
  afterAll(async () => {
    await dovecot.stop()
    await oauth.stop()
  })
  beforeEach(() => {
    user = `support${users++}@example.test`
    dovecot.addUser(user, 'secret')
  })

  function open(given: Given = {}): Promise<ImapSession> {
    const port = given.port ?? (given.security === 'starttls' ? dovecot.imapPort : dovecot.imapsPort)
    return openAt(port, user, given)
  }

  /** The server behind a proxy that cuts connections, or lets them hang. */
  async function behindProxy() {
    const proxy = await startCutProxy({ port: dovecot.imapsPort })
    begun.push(() => proxy.stop())
    return proxy
  }

  test('fetches mails above a UID, in order and unread, and nothing past the end', async () => {
    for (let number = 1; number <= 3; number++) dovecot.deliver(user, mail(number))
    const session = await open()
    const { uidNext, exists } = await session.select('INBOX')
    expect([uidNext, exists]).toEqual([4, 3])
    const uids = async (from: number, upTo: number) =>
      (await Array.fromAsync(session.fetchAfter(from, upTo))).map(({ uid }) => uid)
    expect([await uids(1, 3), await uids(3, 3), await uids(3, 900)]).toEqual([[2, 3], [], []])
    expect((await dovecot.mails(user)).some(({ flags }) => flags.has('\\Seen'))).toBe(false)
  })

  test('is an error when it is cut inside a mail, and given up when it hangs there or says nothing', async () => {
    await dovecot.append(user, `${mail(1)}${`${'x'.repeat(76)}\r\n`.repeat(10_000)}`)
    const { port, cut } = await behindProxy()
    cut({ of: 'server', afterBytes: 500_000, does: 'cut' })
    const session = await open({ port })
    await session.select('INBOX')
    expect(await failureOf(fetched(session, 1))).toMatchObject({ code: 'reset' })

    const limits = { dial: 20_000, greeting: 20_000, silence: 3_000 }
    cut({ of: 'server', afterBytes: 300_000, does: 'stall' })
    const hanging = await open({ port, limits })
    await hanging.select('INBOX')
    // The library ends the connection, and tells no more than that.
    expect(await failureOf(fetched(hanging, 1))).toMatchObject({ code: 'reset' })
    cut({ of: 'server', afterBytes: 0, does: 'stall' })
    const dead = open({ port, limits: { ...limits, dial: 100 } })
    expect(await failureOf(dead)).toMatchObject({ code: 'connect_timeout' })
  })

  test('tells of a mail that arrives while it waits, and stops waiting when it is told to', async () => {
    const abort = new AbortController()
    const session = await open({ signal: abort.signal })
    await session.select('INBOX')
    const news = session.waitForNews('INBOX', 60_000)
    dovecot.deliver(user, mail(1))
    await news
    const { uidNext } = await session.select('INBOX')
    expect(await fetched(session, uidNext - 1)).toHaveLength(1)
    const waiting = session.waitForNews('INBOX', 60_000)
    abort.abort()
    await expect(waiting).rejects.toBeInstanceOf(MailServerError)
  })

  test('stores a copy in a folder, as read', async () => {
    const session = await open()
    await dovecot.createFolder(user, 'Sent')
    await session.append('Sent', Buffer.from(mail(1)))
    expect((await dovecot.mails(user, 'Sent')).map(({ flags }) => flags.has('\\Seen'))).toEqual([true])
    expect(await session.folders()).toContain('Sent')
  })

  test.each(SECURITIES)('opens with %s', async (security) => {
    const session = await open({ security })
    expect(await session.folders()).toContain('INBOX')
  })

  test('opens by XOAUTH2, and not with a revoked token or none', async () => {
    const { accessToken } = oauth.issue(user)
    const auth = { method: 'oauth2', user, accessToken: async () => accessToken } as const
    expect((await (await open({ auth })).select('INBOX')).exists).toBe(0)
    oauth.revoke(user)
    expect(await failureOf(open({ auth }))).toMatchObject({ step: 'sign_in', code: 'sign_in_refused' })
    const noToken = { ...auth, accessToken: () => Promise.reject(new Error('invalid_grant')) }
    await expect(open({ auth: noToken })).rejects.toThrow('invalid_grant')
  })

  test('says what is wrong with a password', async () => {
    const wrong = { method: 'password', user, password: 'wrong' } as const
    expect(await failureOf(open({ auth: wrong }))).toEqual({
      step: 'sign_in',
      code: 'sign_in_refused',
      message: 'hooks.test refused the sign-in: Authentication failed.',
    })
  })

  test.each(SECURITIES)('with %s is opened only if its certificate is good', async (security) => {
    expect((await failureOf(open({ security, host: 'other.example' }))).code).toBe('tls_name')
    expect((await failureOf(open({ security, ca: '' }))).code).toBe('tls_untrusted')
  })

  test('says what is wrong with a port and an address', async () => {
    expect((await failureOf(openAt(dovecot.imapPort, user))).code).toBe('tls_failed')
    expect((await failureOf(openAt(1, user))).code).toBe('connect_refused')
    expect(await failureOf(open({ allow: [] }))).toEqual({
      step: 'name',
      code: 'blocked_address',
      message: 'hooks.test has no public address. To use it, add it or its network to BELLHOP_MAIL_ALLOW.',
    })
    expect((await failureOf(open({ allow: [], host: '127.0.0.1' }))).code).toBe('blocked_address')
  })

  test('says that a folder is missing, and works on', async () => {
    const session = await open()
    expect(await failureOf(session.select('Nowhere'))).toEqual({
      step: 'folder',
      code: 'folder_missing',
      message: 'hooks.test has no folder "Nowhere".',
    })
    expect((await failureOf(session.append('Nowhere', Buffer.from(mail(1))))).code).toBe('folder_missing')
    expect((await session.select('INBOX')).exists).toBe(0)
  })

  test('gives all mails but those that another program deletes meanwhile', async () => {
    for (let number = 1; number <= 5; number++) dovecot.deliver(user, mail(number))
    const session = await open()
    const { uidNext } = await session.select('INBOX')
    // Dovecot goes on to list the mails of this session, and has no bytes for them.
    await dovecot.removeMails(user, [2, 5])
    expect((await fetched(session, uidNext - 1)).map(({ uid }) => uid)).toEqual([1, 3, 4])
  })

  test('gives all mails but a large one that another program deletes meanwhile', async () => {
    const large = `${mail(1)}${`${'x'.repeat(76)}\r\n`.repeat(10_000)}`
    for (const raw of [mail(1), large, mail(3)]) dovecot.deliver(user, raw)
    const session = await open()
    const { uidNext } = await session.select('INBOX')
    const before = await fetched(session, uidNext - 1)
    const isLarge = before.find(({ bytes }) => bytes.length > HALF_MIB)?.uid ?? 0
    await dovecot.removeMails(user, [isLarge])
    const left = (await fetched(session, uidNext - 1)).map(({ uid }) => uid)
    expect(left).toEqual(before.map(({ uid }) => uid).filter((uid) => uid !== isLarge))
  })

  test.each([HALF_MIB - 1, HALF_MIB, HALF_MIB + 1, 2 * HALF_MIB - 1, 2 * HALF_MIB, 2 * HALF_MIB + 1])(
    'gives a mail of %p bytes as it is',
    async (bytes) => {
      const lines = `${'x'.repeat(76)}\r\n`.repeat(Math.ceil(bytes / 78))
      const raw = `${mail(1)}${lines}`.slice(0, bytes - 2).concat('\r\n')
      const uid = await dovecot.append(user, raw)
      const session = await open()
      await session.select('INBOX')
      const hash = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex')
      expect((await fetched(session, uid)).map((one) => hash(one.bytes))).toEqual([hash(raw)])
    },
  )

  test('names the first mail from a day on', async () => {
    await dovecot.append(user, mail(1), { at: new Date('2026-01-01T12:00:00Z') })
    await dovecot.append(user, mail(2), { at: new Date('2026-02-01T12:00:00Z') })
    const session = await open()
    await session.select('INBOX')
    expect(await session.firstUidSince(Date.parse('2026-01-20T00:00:00Z'))).toBe(2)
    expect(await session.firstUidSince(Date.parse('2026-03-01T00:00:00Z'))).toBeUndefined()
  })

  test('rejects commands after the server closed the connection', async () => {
    const session = await open()
    await session.select('INBOX')
    const waiting = failureOf(session.waitForNews('INBOX', 60_000))
    await dovecot.disconnect(user)
    expect((await waiting).code).toBe('reset')
    expect((await failureOf(session.firstUidSince(0))).code).toBe('reset')
    expect((await failureOf(fetched(session, 5))).code).toBe('reset')
  })
})

const MISBEHAVING: [name: string, script: ImapScript, code: string][] = [
  ['the offer of STARTTLS is taken out', { capabilities: 'IMAP4rev1 AUTH=PLAIN' }, 'tls_missing'],
  ['STARTTLS is refused', { starttls: 'NO not now' }, 'tls_missing'],
  ['someone is signed in already', { greeting: '* PREAUTH Welcome' }, 'tls_missing'],
  ['more follows STARTTLS', { starttls: 'OK go\r\n* CAPABILITY IMAP4rev1 AUTH=PLAIN' }, 'tls_failed'],
  ['the server says good-bye', { greeting: '* BYE Too many connections' }, 'reset'],
]

test.each(MISBEHAVING)('no password is sent when %s', async (_, script, code) => {
  const server = await startImapScript(script)
  begun.push(() => server.stop())
  const opening = openAt(server.port, 'support@example.test', { security: 'starttls' })
  expect((await failureOf(opening)).code).toBe(code)
  expect(server.lines.join('\n')).not.toMatch(/AUTHENTICATE|LOGIN|secret/i)
})
