import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { readConfig } from '../../server/config.ts'
import { mailboxes } from '../../server/database/tables/mailboxes.ts'
import type { Deps } from '../../server/deps.ts'
import { openDeps } from '../../server/open-deps.ts'
import { freshPlace } from '../support/engine.ts'
import { type Place, runProgram } from '../support/program.ts'

const PASSWORD = 'secret of the inbox'
const SMTP_PASSWORD = 'secret of the way out'

let place: Place
let deps: Deps
let orgId: string
let passwordFile: string
let smtpPasswordFile: string

beforeAll(async () => {
  place = await freshPlace()
  const folder = place.BELLHOP_DATA ?? ''
  deps = await openDeps(readConfig(place))
  passwordFile = join(folder, 'password')
  smtpPasswordFile = join(folder, 'smtp-password')
  writeFileSync(passwordFile, `${PASSWORD}\n`)
  writeFileSync(smtpPasswordFile, SMTP_PASSWORD)
  const setup = await bellhop('setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com')
  orgId = setup.out.split('\n')[0] ?? ''
})

afterAll(() => deps.database.close())

function bellhop(...args: string[]) {
  return runProgram(place, args)
}

function add(address: string, ...more: string[]) {
  const login = address.replace('@', '%40')
  return bellhop(
    ...['mailbox', 'add', '--org', 'Acme', '--address', address, '--name', 'Support'],
    ...[
      '--imap',
      `imaps://${login}@imap.example.com:1993`,
      '--smtp',
      `smtp://${login}@smtp.example.com:1587`,
    ],
    ...['--password-file', passwordFile],
    ...more,
  )
}

test('add prints the id of the mailbox, and stores what was given', async () => {
  const more = ['--smtp-password-file', smtpPasswordFile, '--folder', 'INBOX', '--folder', 'Web/Forms']
  const added = await add('support@example.com', ...more, '--since', '2026-03-01T00:00:00Z')
  expect(added).toEqual({ code: 0, out: expect.stringMatching(/^mbx_\w{26}\n$/), err: '' })
  const id = added.out.trim()
  const [stored] = await deps.database.read.select().from(mailboxes).where(eq(mailboxes.id, id))
  expect(stored).toMatchObject({
    orgId,
    state: 'active',
    imap: { host: 'imap.example.com', port: 1_993, security: 'tls', user: 'support@example.com' },
    smtp: { host: 'smtp.example.com', port: 1_587, security: 'starttls', user: 'support@example.com' },
    folders: ['INBOX', 'Web/Forms'],
    importSince: Date.parse('2026-03-01T00:00:00Z'),
    isDefault: true,
  })
  expect(deps.encryption.decrypt(stored?.imapPassword ?? new Uint8Array(), id)).toBe(PASSWORD)
  expect(deps.encryption.decrypt(stored?.smtpPassword ?? new Uint8Array(), id)).toBe(SMTP_PASSWORD)
})

test('aliases are added and removed, and the mailbox itself is none', async () => {
  const id = (await add('hello@example.com')).out.trim()
  const aliases = async (...more: string[]) => {
    const { code, out, err } = await bellhop('mailbox', 'aliases', id, ...more)
    return { code, err, lines: out.trim().split('\n').slice(1) }
  }
  const added = await aliases(
    '--add',
    'info@example.com',
    '--add',
    'Hello@example.com',
    '--add',
    'old@b.example',
  )
  expect(added.lines.map((line) => line.split(/\s+/)[0])).toEqual(['info@example.com', 'old@b.example'])
  expect((await aliases('--remove', 'OLD@b.example')).lines).toHaveLength(1)
  const gone = await aliases('--remove', 'old@b.example')
  expect([gone.code, gone.err]).toEqual([1, "old@b.example isn't an alias of this mailbox.\n"])
  const wrong = await aliases('--add', 'nobody')
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('"nobody" is not an email address.')])
  expect((await bellhop('mailbox', 'show', id)).out).toMatch(/aliases\s+info@example.com\n/)
})

test('a URL may leave out the port and the user', async () => {
  const servers = ['--imap', 'imap://[2606:4700::1111]', '--smtp', 'smtps://relay.example.com']
  const added = await add('plain@example.com', ...servers, '--json')
  expect(JSON.parse(added.out)).toMatchObject({
    imap: { host: '2606:4700::1111', port: 143, security: 'starttls', user: 'plain@example.com' },
    smtp: { host: 'relay.example.com', port: 465, security: 'tls', user: '' },
  })
})

test.each([
  ['--imap', 'imap.example.com', 'It must be a URL such as imaps://user@mail.example.com:993.'],
  ['--imap', 'smtps://a@mail.example.com', 'It must be a URL such as imaps://user@mail.example.com:993.'],
  ['--smtp', 'smtps://a@mail.example.com/x', 'It must be a URL such as smtps://user@mail.example.com:465.'],
  ['--imap', 'imaps://a:b@mail.example.com', 'Use --password-file.'],
  ['--imap', 'imaps://a%4@mail.example.com', 'two hexadecimal digits'],
  [
    '--imap',
    'imaps://a@10.0.0.1',
    '--imap: 10.0.0.1 is not a public address. To use it, add it or its network to BELLHOP_MAIL_ALLOW.',
  ],
  ['--smtp', 'smtps://a@localhost', '--smtp: localhost is not a public host name.'],
  ['--address', 'support', '--address: Must be an email address.'],
  ['--name', ' ', '--name: Must be 1 to 255 characters in one line.'],
  ['--folder', ' ', '--folder: Must be the name of a folder'],
  ['--since', 'yesterday', 'It must be a date such as'],
  ['--password-file', '/nowhere/password', 'Can\'t read the password file "/nowhere/password".'],
  ['--password-file', '/dev/null', 'The password file "/dev/null" is empty.'],
])('add refuses %s %s with one sentence and exit code 2', async (option, value, sentence) => {
  const refused = await add('refused@example.com', option, value)
  expect(refused).toMatchObject({ code: 2, out: '' })
  expect(refused.err).toContain(sentence)
  expect(refused.err.trim().split('\n')).toHaveLength(1)
  expect(refused.err).not.toContain(PASSWORD)
  const rows = await deps.database.read.select().from(mailboxes)
  expect(rows.map(({ address }) => address)).not.toContain('refused@example.com')
})

test('a second mailbox with an address is refused', async () => {
  await add('twice@example.com')
  expect(await add('Twice@example.com')).toEqual({
    code: 1,
    out: '',
    err: 'There is already a mailbox with the address Twice@example.com.\n',
  })
})

test('list and show print the state in one word and in a sentence', async () => {
  const { out } = await add('shown@example.com')
  const id = out.trim()
  const list = await bellhop('mailbox', 'list', '--org', 'Acme', '--json')
  expect(list.code).toBe(0)
  const found = JSON.parse(list.out).find((one: { id: string }) => one.id === id)
  expect(found).toMatchObject({
    id,
    address: 'shown@example.com',
    state: 'connecting',
    detail: 'Bellhop has not reached the mail server yet.',
  })
  const shown = await bellhop('mailbox', 'show', id, '--json')
  expect(JSON.parse(shown.out)).toEqual(found)
  const forPeople = [
    (await bellhop('mailbox', 'show', id)).out,
    (await bellhop('mailbox', 'list', '--org', orgId)).out,
  ]
  for (const text of forPeople) expect(text).toContain('shown@example.com')
  for (const text of [list.out, shown.out, ...forPeople]) expect(text).not.toContain(PASSWORD)
})

test('a mailbox is paused, resumed and removed from a shell', async () => {
  const id = (await add('paused@example.com')).out.trim()
  const stateOf = async () => JSON.parse((await bellhop('mailbox', 'show', id, '--json')).out).state
  expect(await bellhop('mailbox', 'pause', id)).toEqual({ code: 0, out: `${id} is paused.\n`, err: '' })
  expect(await stateOf()).toBe('paused')
  expect(await bellhop('mailbox', 'resume', id)).toEqual({ code: 0, out: `${id} is active.\n`, err: '' })
  expect(await stateOf()).toBe('connecting')
  expect(await bellhop('mailbox', 'remove', id)).toEqual({ code: 0, out: `Removed ${id}.\n`, err: '' })
  expect(await bellhop('mailbox', 'show', id)).toEqual({
    code: 1,
    out: '',
    err: 'There is no mailbox with this id.\n',
  })
  expect(await bellhop('mailbox', 'pause', 'nonsense')).toMatchObject({ code: 2, out: '' })
})

test('ledger counts mails by outcome', async () => {
  const id = (await add('ledger@example.com')).out.trim()
  const { out } = await bellhop('mailbox', 'ledger', id, '--json')
  expect(JSON.parse(out)).toEqual({
    onServer: null,
    fetched: 0,
    messages: 0,
    automatic: 0,
    bounces: 0,
    duplicates: 0,
    own: 0,
    quarantined: 0,
    unaccounted: 0,
  })
  expect((await bellhop('mailbox', 'ledger', id)).out).toMatch(/^on the server\s+-\n/)
})
