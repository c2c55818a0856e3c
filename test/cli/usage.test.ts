import { expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json' with { type: 'json' }
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runProgram } from '../support/program.ts'

const folder = temporaryFolder('data')
const place = { BELLHOP_DATA: folder }

const WRONG: [string[], string][] = [
  [['frob'], "Unknown command 'frob'. Try: bellhop --help"],
  [['key'], 'A command is missing. Try: bellhop key --help'],
  [['key', 'create'], "Required option '--org <org>' not specified. Try: bellhop key create --help"],
  [
    ['key', 'create', '--org', 'Acme', '--scopes', 'tickets:eat'],
    "Option '--scopes <scopes>' argument 'tickets:eat' is invalid. " +
      `Choose from all, ${KEY_SCOPES.join(', ')}. Try: bellhop key create --help`,
  ],
  [['serve', '--quick'], "Unknown option '--quick'. Try: bellhop serve --help"],
  [['deliveries', 'resend', '--since', '2h'], 'Give the id of a delivery, or --endpoint and --since.'],
  [
    ['agent', 'disable', 'ana@example.com'],
    '"ana@example.com" isn\'t an id. Use the id of the agent, or add --org.',
  ],
]

test('wrong usage exits with code 2 and one helpful sentence, and creates no data', async () => {
  const ended = await Promise.all(WRONG.map(([args]) => runProgram(place, args)))
  for (const [place, [args, sentence]] of WRONG.entries()) {
    const { code, out, err } = ended[place] ?? {}
    expect([args, code, out, err?.trimEnd().split('\n').at(-1)]).toEqual([args, 2, '', sentence])
  }
  expect(existsSync(join(folder, 'bellhop.db'))).toBe(false)
})

const REFUSED: [string[], string][] = [
  [['--rate-limit', '0'], '--rate-limit: Must be a whole number from 1 to 1000000.'],
  [['--rate-limit', '99999999999'], invalidOption('--rate-limit <number>', '99999999999', 'at most 1000000')],
  [['--rate-limit', '1.5'], invalidOption('--rate-limit <number>', '1.5', 'a whole number')],
  [['--name', ' '], '--name: Must be 1 to 255 characters.'],
  [['--public', '--scopes', 'tickets:read'], "--scopes: A public key can't have scopes."],
  [['--expires', '2020-02-29'], '--expires: Must be in the future.'],
  [
    ['--expires', '2027-02-31'],
    invalidOption(
      '--expires <time>',
      '2027-02-31',
      'a date such as 2026-03-01 or 2026-03-01T09:00:00Z, or a duration such as 2h or 7d',
    ),
  ],
]

test('an invalid option value exits with code 2 and names the option', async () => {
  const used = { BELLHOP_DATA: temporaryFolder('data') }
  const admin = ['--name', 'Ana', '--email', 'ana@example.com']
  await runProgram(used, ['setup', '--org', 'Acme', ...admin])
  const passwordFile = join(used.BELLHOP_DATA, 'password')
  writeFileSync(passwordFile, 'short')
  const key = ['key', 'create', '--org', 'Acme']
  const refused: [string[], string][] = [
    ...REFUSED.map(([args, sentence]): [string[], string] => [[...key, ...args], sentence]),
    [
      ['setup', '--org', 'Other', ...admin, '--password-file', passwordFile],
      '--password-file: Must have at least 10 characters.',
    ],
    [
      ['endpoint', 'create', '--org', 'Acme', '--url', 'http://example.com', '--events', 'ticket.created'],
      '--url: The URL must start with https://.',
    ],
  ]
  const ended = await Promise.all(refused.map(([args]) => runProgram(used, args)))
  expect(ended).toEqual(refused.map(([, sentence]) => ({ code: 2, out: '', err: `${sentence}\n` })))
  expect(JSON.parse((await runProgram(used, ['key', 'list', '--org', 'Acme', '--json'])).out)).toEqual([])
})

function invalidOption(option: string, value: string, valid: string): string {
  return `Option '${option}' argument '${value}' is invalid. It must be ${valid}. Try: bellhop key create --help`
}

test('help and version exit with code 0, even if a setting is invalid', async () => {
  const wrong = { ...place, PORT: 'none' }
  const [all, one, number] = await Promise.all([
    runProgram(wrong, ['--help']),
    runProgram(wrong, ['endpoint', 'create', '--help']),
    runProgram(wrong, ['--version']),
  ])
  expect([all.code, one.code, number.code]).toEqual([0, 0, 0])
  for (const command of ['serve', 'setup', 'org', 'key', 'agent', 'endpoint', 'deliveries']) {
    expect(all.out).toMatch(new RegExp(`^ {2}${command} `, 'm'))
  }
  expect(one.out).toStartWith('Usage: bellhop endpoint create [options]\n')
  expect(one.out).toContain('--events <events>')
  expect(number.out).toStartWith(version)
})

test('a command that fails exits with code 1 and one sentence', async () => {
  const used = { BELLHOP_DATA: temporaryFolder('data') }
  const admin = ['--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com']
  expect((await runProgram(used, ['setup', ...admin])).code).toBe(0)
  const [noOrganization, noDelivery, noFolder] = await Promise.all([
    runProgram(used, ['key', 'create', '--org', 'Nobody']),
    runProgram(used, ['deliveries', 'resend', 'dlv_nope']),
    runProgram({ BELLHOP_DATA: '/proc/nowhere' }, ['setup', ...admin]),
  ])
  const sentence = `There is no organization "Nobody" in ${used.BELLHOP_DATA}.\n`
  expect(noOrganization).toEqual({ code: 1, out: '', err: sentence })
  expect(noDelivery).toEqual({ code: 1, out: '', err: 'There is no delivery with this id.\n' })
  expect([noFolder.code, noFolder.err]).toEqual([
    1,
    'BELLHOP_DATA is "/proc/nowhere". It must be a folder that this user can create or write to.\n',
  ])
})

test('what is refused by what is stored, and not by how a command is written, exits with code 1', async () => {
  const used = { BELLHOP_DATA: temporaryFolder('data') }
  const ana = ['--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com']
  expect((await runProgram(used, ['setup', ...ana])).code).toBe(0)
  const unknown = `00000000000000000000000000`
  const refused: [string[], string][] = [
    [['setup', ...ana], 'An organization named "Acme" already exists.'],
    [['agent', 'create', ...ana], 'An agent with the email ana@example.com already exists.'],
    [['agent', 'disable', 'ana@example.com', '--org', 'Acme'], 'last'],
    [['mailbox', 'pause', `mbx_${unknown}`], 'There is no mailbox with this id.'],
    [['bot', 'pause', `bot_${unknown}`], 'There is no bot with this id.'],
    [['widget', 'pause', `wgt_${unknown}`], 'There is no widget with this id.'],
    [['endpoint', 'disable', `whe_${unknown}`], 'There is no endpoint with this id.'],
  ]
  for (const [args, words] of refused) {
    const { code, out, err } = await runProgram(used, args)
    expect([args, code, out, err]).toEqual([args, 1, '', expect.stringContaining(words)])
  }
})

test('a command in a folder without data names the folder and creates nothing', async () => {
  const empty = temporaryFolder('empty')
  const folders = [empty, join(empty, 'missing')]
  const ended = await Promise.all(
    folders.map((folder) => runProgram({ BELLHOP_DATA: folder }, ['org', 'list'])),
  )
  expect(ended).toEqual(
    folders.map((folder) => ({
      code: 1,
      out: '',
      err: `There is no Bellhop data in ${folder}. Set BELLHOP_DATA to the server's folder, or start with: bellhop setup\n`,
    })),
  )
  expect(readdirSync(empty)).toEqual([])
})
