import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { NewMailbox } from '../../server/channels/email/mailboxes/mailbox-rows.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { mailSettings } from '../support/mail/mailbox-service.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { type SmtpFaults, startSmtpFaults } from '../support/mail/smtp-faults.ts'

const ADDRESS = 'support@helpdesk.test'
const PASSWORD = 'the right password'

interface Tested {
  isOk: boolean
  steps: { side: string; step: string; state: string; detail?: string; advice?: string; link?: string }[]
  folders: string[]
}

describeWithMail('testing the connection of a mailbox', () => {
  const clock = createManualClock(Date.now())
  let dovecot: Dovecot
  let postfix: Postfix
  let faults: SmtpFaults
  let bellhop: Bellhop
  let ana: SignedInAgent

  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [ADDRESS]: PASSWORD } })
    postfix = await startPostfix({ dovecot })
    faults = await startSmtpFaults({ users: { [ADDRESS]: PASSWORD } })
    bellhop = await startBellhop({ clock, settings: await mailSettings() })
    const { orgId } = await bellhop.organization()
    ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  })
  afterAll(async () => {
    await bellhop.stop()
    await Promise.all([postfix.stop(), faults.stop()])
    await dovecot.stop()
  })

  function settings(given: { imap?: object; smtp?: object; folders?: string[]; sentFolder?: string } = {}) {
    const server = { host: '127.0.0.1', security: 'tls', user: ADDRESS, password: PASSWORD }
    return {
      name: 'Support',
      address: ADDRESS,
      ...given,
      imap: { ...server, port: dovecot.imapsPort, ...given.imap },
      smtp: { ...server, port: postfix.submissionsPort, ...given.smtp },
    }
  }

  async function tested(body: object, path = '/console/mailboxes/test'): Promise<Tested> {
    const answer = await ana.call<Tested>('POST', path, { body })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).not.toContain(PASSWORD)
    return answer.json
  }

  /** `imap sign_in: failed`. */
  function statesOf({ steps }: Tested): string[] {
    return steps.map(({ side, step, state }) => `${side} ${step}: ${state}`)
  }

  function failureOf({ isOk, steps }: Tested) {
    expect(isOk).toBe(false)
    return steps.filter(({ state }) => state === 'failed')
  }

  const ALL_OK = [
    'imap name: ok',
    'imap connection: ok',
    'imap tls: ok',
    'imap sign_in: ok',
    'imap folder: ok',
    'smtp name: ok',
    'smtp connection: ok',
    'smtp tls: ok',
    'smtp sign_in: ok',
    'both message: ok',
  ]

  test('all steps pass, a message comes back, and nothing is stored', async () => {
    await dovecot.createFolder(ADDRESS, 'Sent')
    const result = await tested(settings({ sentFolder: 'Sent' }))
    expect(statesOf(result)).toEqual(ALL_OK)
    expect(result.isOk).toBe(true)
    expect(result.folders).toEqual(expect.arrayContaining(['INBOX', 'Sent']))
    const message = { subject: 'Bellhop tests this mailbox', from: [ADDRESS], flags: new Set() }
    const [local, domain] = ADDRESS.split('@')
    const replyAddress = expect.stringMatching(new RegExp(`^${local}\\+[0-9a-z]{22}@${domain}$`))
    // The mail server delivers both at the same time, in any order.
    const mails = await dovecot.mails(ADDRESS)
    expect(mails.toSorted((a, b) => `${a.to}`.length - `${b.to}`.length)).toMatchObject([
      { ...message, to: [ADDRESS] },
      { ...message, to: [replyAddress] },
    ])
    expect((await ana.call('GET', '/console/mailboxes')).json).toEqual({ data: [] })
  })

  test('a wrong password fails at the sign-in, and the other server is tested too', async () => {
    const result = await tested(settings({ imap: { password: 'wrong' } }))
    expect(statesOf(result)).toEqual([
      ...ALL_OK.slice(0, 3),
      'imap sign_in: failed',
      'imap folder: skipped',
      ...ALL_OK.slice(5, 9),
      'both message: skipped',
    ])
    expect(failureOf(result)).toMatchObject([
      {
        detail: expect.stringContaining('127.0.0.1 refused the sign-in'),
        advice: 'Check the user name and the password. Some providers require an app password.',
      },
    ])
  })

  test('each fault names its step, and says what to do', async () => {
    const cases: [given: Parameters<typeof settings>[0], step: string, detail: string][] = [
      [{ imap: { port: 1 } }, 'imap connection', "doesn't accept connections on port 1. Check the port."],
      [{ imap: { port: dovecot.imapPort } }, 'imap tls', "doesn't use TLS on port"],
      [{ folders: ['INBOX', 'Nope'] }, 'imap folder', 'has no folder "Nope".'],
      [{ sentFolder: 'Sent mail' }, 'imap folder', 'has no folder "Sent mail".'],
      [{ smtp: { port: 1 } }, 'smtp connection', "doesn't accept connections on port 1."],
      [{ smtp: { user: 'nobody@helpdesk.test' } }, 'smtp sign_in', 'refused the sign-in'],
      [{ imap: { host: 'localhost.localdomain.invalid' } }, 'imap name', "couldn't be found. Check the name"],
    ]
    for (const [given, place, sentence] of cases) {
      const [failed, ...more] = failureOf(await tested(settings(given)))
      expect(`${failed?.side} ${failed?.step}`, JSON.stringify(given)).toBe(place)
      expect(failed?.detail).toContain(sentence)
      expect(more).toEqual([])
    }
  })

  test('the first bytes of a server say which protocol and which encryption a port is for', async () => {
    const cases: [given: Parameters<typeof settings>[0], place: string, sentence: string][] = [
      [
        { imap: { port: postfix.submissionsPort } },
        'imap connection',
        'This is an SMTP server: use port 993 for IMAP.',
      ],
      [
        { imap: { port: postfix.submissionPort, security: 'starttls' } },
        'imap connection',
        'use port 993 for IMAP.',
      ],
      [{ smtp: { port: dovecot.imapsPort } }, 'smtp connection', 'use port 465 for SMTP.'],
      [{ smtp: { port: dovecot.imapPort } }, 'smtp connection', 'This is an IMAP server'],
      [{ imap: { security: 'starttls' } }, 'imap tls', 'This port expects TLS. Choose TLS'],
      [{ smtp: { security: 'starttls' } }, 'smtp tls', 'Choose TLS instead of STARTTLS.'],
    ]
    for (const [given, place, sentence] of cases) {
      const begun = clock.monotonic()
      const [failed, ...more] = failureOf(await advancing(tested(settings(given)), 50))
      expect(`${failed?.side} ${failed?.step}`, JSON.stringify(given)).toBe(place)
      expect(failed?.detail).toContain(sentence)
      expect(more).toEqual([])
      expect(clock.monotonic() - begun).toBeLessThanOrEqual(5_000)
    }
  })

  test('a message that is refused, or does not arrive, fails the last step', async () => {
    const throughFaults = settings({ smtp: { port: faults.tlsPort } })
    faults.fail({ at: 'end', does: { code: 550, text: '5.7.1 You may not send' } })
    expect(failureOf(await tested(throughFaults))).toEqual([
      {
        side: 'both',
        step: 'message',
        state: 'failed',
        detail: '127.0.0.1 refused the message: 550 5.7.1 You may not send',
      },
    ])
    const { length } = faults.messages
    const testing = tested(throughFaults)
    await faults.waitForMessages(length + 1)
    const result = await advancing(testing)
    expect(statesOf(result)).toEqual([...ALL_OK.slice(0, -1), 'both message: failed'])
    expect(failureOf(result)).toMatchObject([
      {
        detail: `A message to ${ADDRESS} was sent, but it did not arrive in INBOX within 30 seconds.`,
        advice: expect.stringContaining('not into another folder such as spam.'),
      },
    ])
  })

  /** Lets time pass until it is done. Smaller steps leave servers more time. */
  async function advancing<T>(work: Promise<T>, stepMs = 1_000): Promise<T> {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    while (!isDone) {
      clock.advance(stepMs)
      await Bun.sleep(5)
    }
    return done
  }

  test('a stored mailbox is tested with its passwords, and with changes before they are saved', async () => {
    const made = await ana.call<{ id: string }>('POST', '/console/mailboxes', { body: settings() })
    const path = `/console/mailboxes/${made.json.id}/test`
    expect(statesOf(await tested({}, path))).toEqual(ALL_OK)
    expect(failureOf(await tested({ folders: ['Nope'] }, path))).toMatchObject([{ step: 'folder' }])
    const { imap } = settings()
    const elsewhere = { imap: { ...imap, host: 'imap.evil.example', password: undefined } }
    expect((await ana.call('POST', path, { body: elsewhere })).json).toMatchObject({
      status: 400,
      errors: [{ pointer: '/imap/password', code: 'password_required' }],
    })
    expect((await ana.call('GET', `/console/mailboxes/${made.json.id}`)).json).toMatchObject({
      folders: ['INBOX'],
    })
    await ana.call('DELETE', `/console/mailboxes/${made.json.id}`)
  })

  test('a mailbox at a provider needs a sign-in before it can be tested', async () => {
    const { imap, smtp, ...rest } = settings()
    const without = (given: NonNullable<NewMailbox['imap']> | object) => ({ ...given, password: undefined })
    const body = { ...rest, signIn: 'google', imap: without(imap), smtp: without(smtp) }
    const result = await tested(body)
    expect(statesOf(result)).toEqual([
      ...['imap name: skipped', 'imap connection: skipped', 'imap tls: skipped', 'imap sign_in: failed'],
      'imap folder: skipped',
      ...['smtp name: skipped', 'smtp connection: skipped', 'smtp tls: skipped', 'smtp sign_in: failed'],
      'both message: skipped',
    ])
    expect(failureOf(result)[0]).toMatchObject({ detail: 'Sign in with Google to connect this mailbox.' })
  })
})
