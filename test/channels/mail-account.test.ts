import { expect, test } from 'bun:test'
import { createMailDialer, refusalOfMailHost } from '../../server/channels/email/mail-account.ts'
import { readConfig } from '../../server/config.ts'
import { writeCaFile } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { startSmtpScript } from '../support/mail/smtp-script.ts'

const strict = readConfig({})
const MINUTE_MS = 60_000

test.each(['imap.example.com', 'MX.example.com.', 'bücher.example', '8.8.8.8', '2606:4700:4700::1111'])(
  '%s can be a mail server',
  (host) => {
    expect(refusalOfMailHost(strict, host)).toBeNull()
  },
)

test.each([
  ['', 'Enter a host name such as mail.example.com.'],
  ['imap.example.com:993', 'Enter a host name such as mail.example.com.'],
  ['https://imap.example.com', 'Enter a host name such as mail.example.com.'],
  ['ana@example.com', 'Enter a host name such as mail.example.com.'],
  ['imap example.com', 'Enter a host name such as mail.example.com.'],
  ['imap.example.com\r\n', 'Enter a host name such as mail.example.com.'],
  [
    'localhost',
    'localhost is not a public host name. To use it, add it or its network to BELLHOP_MAIL_ALLOW.',
  ],
  [
    'mail.internal',
    'mail.internal is not a public host name. To use it, add it or its network to BELLHOP_MAIL_ALLOW.',
  ],
  ['10.0.0.5', '10.0.0.5 is not a public address. To use it, add it or its network to BELLHOP_MAIL_ALLOW.'],
  ['::1', '::1 is not a public address. To use it, add it or its network to BELLHOP_MAIL_ALLOW.'],
  [
    '2130706433',
    '127.0.0.1 is not a public address. To use it, add it or its network to BELLHOP_MAIL_ALLOW.',
  ],
])('%p cannot be a mail server: %s', (host, detail) => {
  expect(refusalOfMailHost(strict, host)?.detail).toBe(detail)
})

test('the operator allows private mail servers apart from private endpoints', () => {
  const config = readConfig({ BELLHOP_MAIL_ALLOW: '10.0.0.0/8', BELLHOP_WEBHOOK_ALLOW: 'mail.internal' })
  expect(refusalOfMailHost(config, '10.0.0.5')).toBeNull()
  // It may resolve into the allowed network: the connection checks that.
  expect(refusalOfMailHost(config, 'mail.internal')).toBeNull()
  expect(refusalOfMailHost(config, 'localhost')?.code).toBe('blocked_host')
})

test('connections to mail servers keep to BELLHOP_MAIL_ALLOW and trust BELLHOP_MAIL_CA', async () => {
  const server = await startSmtpScript()
  const clock = createManualClock()
  const to = { host: '127.0.0.1', port: server.port, isTls: true }
  const settings = { BELLHOP_MAIL_ALLOW: '127.0.0.1', BELLHOP_MAIL_CA: await writeCaFile() }
  const dialer = (environment: Record<string, string>) =>
    createMailDialer({ clock, config: readConfig(environment) })
  const socket = await dialer(settings).dial(to, MINUTE_MS)
  socket.destroy()
  await expect(dialer({ ...settings, BELLHOP_MAIL_ALLOW: '' }).dial(to, MINUTE_MS)).rejects.toThrow(
    '127.0.0.1 is not a public address.',
  )
  await expect(dialer({ ...settings, BELLHOP_MAIL_CA: '' }).dial(to, MINUTE_MS)).rejects.toThrow(
    'certificate',
  )
  await server.stop()
})
