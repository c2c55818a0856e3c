import { afterEach, describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import type { MailAuth } from '../../server/channels/email/mail-account.ts'
import { SmtpSession } from '../../server/channels/email/outbound/smtp-session.ts'
import { createAddressPolicy } from '../../server/network/address-policy.ts'
import { createDialer } from '../../server/network/dial.ts'
import { makeCertificates } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { type ScriptedSmtp, type SmtpScript, startSmtpScript } from '../support/mail/smtp-script.ts'

const MINUTE_MS = 60_000
const BODY = 'Subject: Hello\r\n\r\n.A line that begins with a dot\r\n'
const LARGE = Buffer.alloc(64 * 1_024, 'x'.repeat(70).concat('\r\n'))
const certificates = await makeCertificates()
const begun: (() => unknown)[] = []

afterEach(async () => {
  for (const end of begun.splice(0).reverse()) await end()
})

interface Given {
  host?: string
  auth?: MailAuth | null
  allow?: string[]
  ca?: string
  security?: 'tls' | 'starttls'
}

/** A server with this script, and a session with it. Its clock moves only when the test moves it. */
async function connected(script: SmtpScript = {}, given: Given = {}) {
  const server = await startSmtpScript(script)
  const clock = createManualClock()
  const { host = 'hooks.test', auth = { method: 'password', user: 'ana', password: 'secret' } as const } =
    given
  const session = new SmtpSession(
    {
      clock,
      dialer: createDialer({
        clock,
        policy: createAddressPolicy(given.allow ?? ['127.0.0.1']),
        ca: 'ca' in given ? given.ca : certificates.ca,
        resolve: async () => ['127.0.0.1'],
      }),
    },
    { host, port: server.port, security: given.security ?? (script.tls ? 'starttls' : 'tls'), auth },
    'example.com',
  )
  begun.push(
    () => server.stop(),
    () => session.close(),
  )
  return { server, session, clock, submit: submitter(session) }
}

function submitter(session: SmtpSession) {
  return (to = ['bob@customer.example'], given: { body?: () => Readable; bytes?: number } = {}) =>
    session.submit({
      from: 'support@example.com',
      to,
      body: () => Readable.from([Buffer.from(BODY)]),
      ...given,
    })
}

/** More than the buffers between here and there hold. Calls `onRead` after the first 4 MB. */
function endlessBody(onRead: () => void) {
  return () =>
    Readable.from(
      (function* () {
        for (let read = 0; read < 1_000; read++) {
          if (read === 64) onRead()
          yield LARGE
        }
      })(),
    )
}

function commandsOf({ commands }: ScriptedSmtp): string[] {
  return commands.map((command) => command.split(/[ :]/)[0] ?? '')
}

describe('a message', () => {
  test.each([
    ['TLS from the start', undefined],
    ['STARTTLS', 'starttls' as const],
  ])('is delivered over %s, byte for byte', async (_, tls) => {
    const { server, submit } = await connected({ tls })
    expect(await submit()).toEqual({
      outcome: 'delivered',
      recipients: [{ address: 'bob@customer.example', fate: 'accepted', reason: '' }],
      sentence: null,
      problem: null,
      serverMessageId: null,
    })
    // A line that is a dot only would end the body, so a leading dot is doubled (RFC 5321, 4.5.2).
    expect(server.bodies.map((body) => `${body.replaceAll(/^\./gm, '')}\r\n`)).toEqual([BODY])
    expect(server.commands).toContain('MAIL FROM:<support@example.com>')
    expect(server.commands[0]).toBe('EHLO example.com')
  })

  test('goes over the same connection as the one before, and over a new one when that is idle', async () => {
    const { server, clock, submit } = await connected()
    await Promise.all([submit(), submit(), submit()])
    expect(server.connections()).toBe(1)
    clock.advance(11_000)
    await server.saw('QUIT')
    expect((await submit()).outcome).toBe('delivered')
    expect(server.connections()).toBe(2)
  })

  test.each([
    ['closes', 'cut'],
    ['ends with 421', '421 4.4.2 Idle for too long'],
  ] as const)('goes again at once when the server %s the idle connection meanwhile', async (_, step) => {
    let mails = 0
    const { server, submit } = await connected({
      on: (command, connection) =>
        command.startsWith('MAIL') && connection === 0 && mails++ > 0 ? step : undefined,
    })
    await submit()
    expect((await submit()).outcome).toBe('delivered')
    expect(server.connections()).toBe(2)
    expect(server.bodies).toHaveLength(2)
  })

  test('keeps the Message-ID that Microsoft gives it', async () => {
    const reply =
      '250 2.0.0 OK <AB1PR01@EURPRD01.prod.outlook.com> [Hostname=AB1PR01.eurprd01.prod.outlook.com]'
    const { submit } = await connected({ body: () => reply })
    expect((await submit()).serverMessageId).toBe('<AB1PR01@EURPRD01.prod.outlook.com>')
  })
})

describe('a message is refused for good', () => {
  test.each([
    ['MAIL', ['PIPELINING', 'AUTH PLAIN']],
    ['MAIL', ['AUTH PLAIN']],
    ['RCPT', ['PIPELINING', 'AUTH PLAIN']],
    ['RCPT', ['AUTH PLAIN']],
    ['DATA', ['AUTH PLAIN']],
  ])('by 5xx to %s (server offers %p), in the words of the server', async (verb, ehlo) => {
    const { submit, server } = await connected({
      ehlo,
      on: (command) => (command.startsWith(verb) ? '550-5.7.1 Not\r\n550 5.7.1 here' : undefined),
    })
    expect(await submit()).toMatchObject({
      outcome: 'refused',
      recipients: [{ fate: 'refused', reason: '550 5.7.1 Not here' }],
      sentence: 'hooks.test refused the message: 550 5.7.1 Not here',
      problem: null,
    })
    expect(server.bodies.join('')).toBe('')
  })

  test('when it is larger than the server allows: it is not sent at all', async () => {
    const { submit, server } = await connected({ ehlo: ['SIZE 10000000', 'AUTH PLAIN'] })
    const { outcome, sentence } = await submit(undefined, { bytes: 12_345_678 })
    expect([outcome, sentence]).toEqual([
      'refused',
      'The message is larger than hooks.test allows: 12.3 MB with its attachments.',
    ])
    expect(commandsOf(server)).not.toContain('MAIL')
  })
})

describe('a message is tried again', () => {
  test.each([['MAIL'], ['RCPT'], ['DATA']])('after 4xx to %s', async (verb) => {
    const { submit } = await connected({
      on: (command) => (command.startsWith(verb) ? '451 4.3.0 Try later' : undefined),
    })
    expect(await submit()).toMatchObject({
      outcome: 'temporary',
      recipients: [{ fate: 'deferred', reason: '451 4.3.0 Try later' }],
      sentence: "hooks.test can't take the message now: 451 4.3.0 Try later",
    })
  })

  test.each(['452 4.3.1 Disk full', '421 4.3.2 Shutting down'])('after %p to the body', async (reply) => {
    const { submit } = await connected({ body: () => reply })
    expect(await submit()).toMatchObject({ outcome: 'temporary', recipients: [{ reason: reply }] })
  })

  test('when one of two refused recipients was refused for now only', async () => {
    const { submit } = await connected({
      on: (command) => {
        if (command.includes('nobody@')) return '550 No such user'
        return command.includes('busy@') ? '450 Greylisted' : undefined
      },
    })
    const { outcome, recipients } = await submit(['nobody@x.test', 'busy@x.test'])
    expect(outcome).toBe('temporary')
    expect(recipients.map(({ fate }) => fate)).toEqual(['refused', 'deferred'])
  })

  test.each(['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'])('when the connection is cut at %s', async (verb) => {
    const { submit } = await connected({ on: (command) => (command.startsWith(verb) ? 'cut' : undefined) })
    const { outcome, problem } = await submit()
    expect([outcome, problem?.code]).toEqual(['temporary', 'reset'])
  })

  test.each(['EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'])('when the server hangs at %s', async (verb) => {
    const { submit, server, clock } = await connected({
      ehlo: ['AUTH PLAIN'],
      on: (command) => (command.startsWith(verb) ? 'hang' : undefined),
    })
    const result = submit()
    await server.saw(verb)
    clock.advance(5 * MINUTE_MS)
    const { outcome, problem } = await result
    expect([outcome, problem?.code, problem?.message]).toEqual([
      'temporary',
      'timeout',
      'hooks.test stopped responding.',
    ])
  })
})

describe('whether a message arrived is unknown', () => {
  test('when the connection is lost after the whole message was sent', async () => {
    const { submit, server } = await connected({ body: () => 'cut' })
    expect(await submit()).toMatchObject({
      outcome: 'unknown',
      recipients: [{ fate: 'unknown' }],
      sentence:
        'hooks.test closed the connection. It may have accepted the message, so it could arrive twice.',
    })
    expect(server.bodies).toHaveLength(1)
  })

  test('but not when only a part of it was read, whatever the server says', async () => {
    const { submit } = await connected({ acceptBodyAfter: 100_000 })
    const { outcome } = await submit(undefined, { body: endlessBody(() => {}) })
    expect(outcome).toBe('temporary')
  })
})

describe('nothing is sent', () => {
  test.each([
    ['TLS', undefined],
    ['STARTTLS', 'starttls' as const],
  ])('with %s when the certificate is for another name', async (_, tls) => {
    const { submit, server } = await connected({ tls }, { host: 'other.example' })
    const { outcome, problem } = await submit()
    expect([outcome, problem?.step, problem?.code]).toEqual(['temporary', 'tls', 'tls_name'])
    expect(commandsOf(server)).not.toContain('AUTH')
  })

  test.each([
    ['TLS', undefined],
    ['STARTTLS', 'starttls' as const],
  ])('with %s when the authority is not trusted', async (_, tls) => {
    const { submit, server } = await connected({ tls }, { ca: '' })
    const { problem } = await submit()
    expect([problem?.code, problem?.message]).toEqual([
      'tls_untrusted',
      'The certificate of hooks.test is not from an authority that this server trusts. To trust your own authority, set BELLHOP_MAIL_CA.',
    ])
    expect(commandsOf(server)).not.toContain('AUTH')
  })

  test('when someone in between removes STARTTLS from the offer', async () => {
    const { submit, server } = await connected({ tls: 'stripped' })
    const { outcome, problem } = await submit()
    expect([outcome, problem?.code]).toEqual(['temporary', 'tls_missing'])
    expect(problem?.message).toContain("doesn't offer STARTTLS")
    expect(commandsOf(server)).toEqual(['EHLO', 'STARTTLS'])
  })

  test('when someone in between accepts STARTTLS and goes on without it', async () => {
    const { submit, server, clock } = await connected({
      tls: 'stripped',
      on: (command) => (command === 'STARTTLS' ? '220 Go ahead\r\n250 AUTH PLAIN' : undefined),
    })
    const result = submit()
    await server.saw('STARTTLS')
    // Nobody answers the handshake.
    clock.advance(2 * MINUTE_MS)
    expect((await result).outcome).toBe('temporary')
    expect(commandsOf(server).slice(0, 2)).toEqual(['EHLO', 'STARTTLS'])
    expect(commandsOf(server).join()).not.toMatch(/AUTH|MAIL/)
  })

  test('to a private address, unless the operator allows it', async () => {
    const { submit, server } = await connected({}, { allow: [] })
    const { problem } = await submit()
    expect([problem?.step, problem?.message]).toEqual([
      'name',
      'hooks.test has no public address. To use it, add it or its network to BELLHOP_MAIL_ALLOW.',
    ])
    expect(server.connections()).toBe(0)
    const direct = await connected({}, { allow: [], host: '127.0.0.1' })
    expect((await direct.submit()).problem?.code).toBe('blocked_address')
    expect(direct.server.connections()).toBe(0)
  })

  test('when the port answers without TLS', async () => {
    const { submit, server } = await connected({ tls: 'starttls' }, { security: 'tls' })
    const { problem } = await submit()
    expect([problem?.step, problem?.code]).toEqual(['tls', 'tls_failed'])
    expect(server.commands).toEqual([])
  })
})

describe('a sign-in', () => {
  test.each([['PLAIN'], ['LOGIN']])('by %s sends the password', async (method) => {
    const { session, server } = await connected({
      ehlo: [`AUTH ${method}`],
      on: (command) => {
        if (command === 'AUTH LOGIN') return '334 VXNlcm5hbWU6'
        if (command === btoa('ana')) return '334 UGFzc3dvcmQ6'
        return command === btoa('secret') ? '235 Welcome' : undefined
      },
    })
    await session.verify()
    const sent = server.commands.slice(1).join(' ')
    expect(sent).toBe(
      method === 'PLAIN'
        ? `AUTH PLAIN ${btoa('\0ana\0secret')}`
        : `AUTH LOGIN ${btoa('ana')} ${btoa('secret')}`,
    )
  })

  test('by XOAUTH2 sends a token, even if the server would take a password', async () => {
    const auth: MailAuth = { method: 'oauth2', user: 'ana@example.com', accessToken: async () => 'token' }
    const { submit, server } = await connected({}, { auth })
    expect((await submit()).outcome).toBe('delivered')
    expect(server.commands[1]).toBe(
      `AUTH XOAUTH2 ${btoa('user=ana@example.com\u0001auth=Bearer token\u0001\u0001')}`,
    )
  })

  test('with a refused token says what the server said, and asks for no second token', async () => {
    let tokens = 0
    const accessToken = async () => `token ${++tokens}`
    const { submit } = await connected(
      {
        on: (command) => {
          if (command.startsWith('AUTH')) return `334 ${btoa('{"status":"401"}')}`
          return command === '' ? '535 5.7.8 Token expired' : undefined
        },
      },
      { auth: { method: 'oauth2', user: 'ana@example.com', accessToken } },
    )
    const { outcome, problem } = await submit()
    expect([outcome, problem?.code, problem?.words]).toEqual([
      'temporary',
      'sign_in_refused',
      '535 5.7.8 Token expired',
    ])
    expect(tokens).toBe(1)
  })

  test.each([
    [
      '535 5.7.8 Wrong password',
      'sign_in_refused',
      'hooks.test refused the sign-in: 535 5.7.8 Wrong password.',
    ],
    [
      '535 5.7.0 Temporary authentication failure',
      'sign_in_unavailable',
      "hooks.test couldn't check the sign-in: 535 5.7.0 Temporary authentication failure.",
    ],
    [
      '454 4.7.0 Try later',
      'sign_in_unavailable',
      "hooks.test couldn't check the sign-in: 454 4.7.0 Try later.",
    ],
  ])(
    'a sign-in that is answered by %p is a problem of the mailbox, not of the message',
    async (reply, code, sentence) => {
      const { submit } = await connected({
        on: (command) => (command.startsWith('AUTH') ? reply : undefined),
      })
      const { outcome, problem } = await submit()
      expect([outcome, problem?.code, problem?.message]).toEqual(['temporary', code, sentence])
    },
  )
})

test('a body that cannot be read ends the connection in its middle, and is not the server’s fault', async () => {
  const { submit, server } = await connected()
  const body = () =>
    Readable.from(
      (function* () {
        yield Buffer.from('Subject: Hello\r\n')
        throw new Error('The file is gone.')
      })(),
    )
  await expect(submit(undefined, { body })).rejects.toThrow('The file is gone.')
  expect(server.bodies).toEqual([])
  expect((await submit()).outcome).toBe('delivered')
})
