import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'
import { temporaryFolder } from '../support/folder.ts'
import { PROGRAM, runProgram, startProgram } from '../support/program.ts'
import { eventually } from '../support/webhooks.ts'

const DAY_MS = 86_400_000

/** Writes `NAME.crt` and `NAME.key`, valid from one day to another, counted from today. */
async function writePair(folder: string, name: string, from: number, to: number): Promise<void> {
  const [notBeforeDate, notAfterDate] = [from, to].map((days) => new Date(Date.now() + days * DAY_MS))
  const made = await generate([{ name: 'commonName', value: name }], { notBeforeDate, notAfterDate })
  writeFileSync(join(folder, `${name}.crt`), made.cert)
  writeFileSync(join(folder, `${name}.key`), made.private)
}

async function folderWithPairs(): Promise<string> {
  const folder = temporaryFolder('tls')
  await writePair(folder, 'first', -1, 30)
  await writePair(folder, 'second', -1, 30)
  await writePair(folder, 'expired', -30, -1)
  await writePair(folder, 'early', 1, 30)
  writeFileSync(join(folder, 'no.pem'), 'nothing')
  return folder
}

/** The name in the certificate that a new connection gets, and the connection. */
async function handshake(url: string): Promise<{ name: string; socket: TLSSocket }> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  socket.once('secureConnect', resolve).once('error', reject)
  await promise
  return { name: String(socket.getPeerCertificate().subject.CN), socket }
}

/** The name in the certificate, of a connection that is closed at once: one that never asks holds up the stop. */
async function nameNow(url: string): Promise<string> {
  const { name, socket } = await handshake(url)
  socket.destroy()
  return name
}

test('files that cannot serve HTTPS stop the start with one sentence', async () => {
  const folder = await folderWithPairs()
  const place = { BELLHOP_DATA: join(folder, 'data'), PORT: '0' }
  const file = (name: string) => join(folder, name)
  const cases: [cert: string, key: string, message: string][] = [
    [
      file('none'),
      file('first.key'),
      `BELLHOP_TLS_CERT is "${file('none')}". It must be a file that this user can read.`,
    ],
    [
      file('no.pem'),
      file('first.key'),
      `BELLHOP_TLS_CERT is "${file('no.pem')}". It must be a PEM file with the certificate and its chain.`,
    ],
    [
      file('first.crt'),
      file('no.pem'),
      `BELLHOP_TLS_KEY is "${file('no.pem')}". It must be a PEM file with a key without a password.`,
    ],
    [
      file('first.crt'),
      file('second.key'),
      `The key in ${file('second.key')} doesn't belong to the certificate in ${file('first.crt')}.`,
    ],
    [file('expired.crt'), file('expired.key'), `The certificate in ${file('expired.crt')} expired on `],
    [file('early.crt'), file('early.key'), `The certificate in ${file('early.crt')} is valid from `],
    [file('first.crt'), '', 'BELLHOP_TLS_CERT and BELLHOP_TLS_KEY must be set together, or both be empty.'],
  ]
  await Promise.all(
    cases.map(async ([cert, key, message], number) => {
      const settings = {
        ...place,
        BELLHOP_DATA: join(folder, `data${number}`),
        BELLHOP_TLS_CERT: cert,
        BELLHOP_TLS_KEY: key,
      }
      const { code, out, err } = await runProgram(settings, ['serve'])
      expect([code, out, err]).toEqual([1, '', expect.stringContaining(message)])
      expect(err.trimEnd()).not.toContain('\n')
    }),
  )
})

test('HTTPS without a proxy: the cookie is secure, and a renewed certificate is used while streams go on', async () => {
  const folder = await folderWithPairs()
  const [cert, key, data] = [join(folder, 'cert.pem'), join(folder, 'key.pem'), join(folder, 'data')]
  const install = (name: string) => {
    copyFileSync(join(folder, `${name}.crt`), cert)
    copyFileSync(join(folder, `${name}.key`), key)
  }
  install('first')
  const place = { BELLHOP_DATA: data, BELLHOP_TLS_CERT: cert, BELLHOP_TLS_KEY: key }
  writeFileSync(join(folder, 'password'), 'a long enough password')
  const log = join(folder, 'log')
  await using server = await startProgram(place, ['/bin/sh', '-c', `exec "$@" 2>${log}`, 'sh', ...PROGRAM])
  expect(server.url).toStartWith('https://127.0.0.1:')
  const admin = ['--name', 'Ana', '--email', 'ana@example.com', '--password-file', join(folder, 'password')]
  expect((await runProgram(place, ['setup', '--org', 'Acme', ...admin])).code).toBe(0)
  expect((await runProgram(place, ['health'])).code).toBe(0)
  const tls = { rejectUnauthorized: false }
  const signedIn = await fetch(`${server.url}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url },
    body: JSON.stringify({ email: 'ana@example.com', password: 'a long enough password' }),
    tls,
  })
  const cookie = signedIn.headers.get('set-cookie') ?? ''
  expect([signedIn.status, cookie]).toEqual([201, expect.stringMatching(/^__Host-bellhop_session=.*Secure/)])

  // Browsers then ask for nothing over plain http, except on loopback names, which other programs use too.
  const policyOf = async (host: string) =>
    (await fetch(`${server.url}/health/live`, { headers: { host }, tls })).headers.get(
      'strict-transport-security',
    )
  expect([await policyOf('desk.example'), await policyOf('localhost')]).toEqual(['max-age=31536000', null])

  const { name, socket } = await handshake(server.url)
  expect(name).toBe('first')
  let streamed = ''
  socket.on('data', (bytes) => {
    streamed += bytes
  })
  socket.write(`GET /console/live HTTP/1.1\r\nHost: x\r\nCookie: ${cookie.split(';')[0]}\r\n\r\n`)
  await eventually(() => streamed.includes('text/event-stream'))

  // A faulty pair changes nothing.
  copyFileSync(join(folder, 'second.crt'), cert)
  process.kill(server.pid, 'SIGHUP')
  await eventually(() => readFileSync(log, 'utf8').includes('certificate_not_renewed'))
  expect(await nameNow(server.url)).toBe('first')

  install('second')
  process.kill(server.pid, 'SIGHUP')
  // A connection that is being opened at this moment is reset, and clients open another.
  await eventually(async () => (await nameNow(server.url).catch(() => undefined)) === 'second')
  const before = streamed.length
  const made = await fetch(`${server.url}/console/session`, {
    headers: { cookie: cookie.split(';')[0] ?? '' },
    tls,
  })
  expect([made.status, socket.destroyed]).toEqual([200, false])
  expect(streamed.length).toBeGreaterThanOrEqual(before)
  expect(await server.end('SIGTERM')).toBe(0)
})
