import { expect, test } from 'bun:test'
import { readConfig } from '../../server/config.ts'
import { API_ERROR_CODES, FIELD_ERROR_CODES } from '../../server/responses/error-codes.ts'
import { DELIVERY_ERRORS } from '../../server/webhooks/deliveries/delivery-errors.ts'
import { URL_REFUSALS } from '../../server/webhooks/endpoints/validate.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runProgram } from '../support/program.ts'
import { readSources } from '../support/sources.ts'
import { quoted, table } from './page.ts'

const settings = table('Setting', 'Default').map(([name = '', value = '']) => ({
  name: quoted(name)[0] ?? '',
  value: quoted(value)[0],
}))

test('the settings are those that the server reads', () => {
  const read = new Set<string>()
  readConfig(
    new Proxy<Record<string, string>>(
      {},
      {
        get(_, name) {
          read.add(String(name))
          return undefined
        },
      },
    ),
  )
  expect(settings.map(({ name }) => name).sort()).toEqual([...read].sort())
})

test('the defaults of the settings are those of the server', () => {
  const config = readConfig({})
  for (const { name, value } of settings) {
    if (value !== undefined) expect(readConfig({ [name]: value }), `${name}=${value}`).toEqual(config)
  }
  const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0)
  expect(settings.filter(({ value }) => value === undefined)).toHaveLength(
    Object.values({ ...config, ...config.s3, tls: undefined, tlsKey: undefined }).filter(isEmpty).length,
  )
})

test('the commands and their options are those of the help', async () => {
  const shown = table('Command').map(([usage = '']) => describe(quoted(usage)[0] ?? ''))
  expect(shown.sort()).toEqual((await commandsBelow([])).sort())
}, 120_000)

test('the error codes of the API are those that its routes answer with', async () => {
  const documented = codesIn('`code`')
  const reachable = (await errorCodes(isOfTheApi)).filter((code) => !ONLY_FOR_AGENTS.includes(code))
  expect(documented.sort()).toEqual(reachable)
  const codes = documented.map((code) => code.slice(4))
  expect(new Set(codes)).toEqual(new Set(API_ERROR_CODES))
})

test('every other error code of the server is there too', async () => {
  const tables = ['`code`', '`code` in the inbox', '`code` in the widget', '`code` of a tool']
  const documented = new Set(tables.flatMap(codesIn))
  expect([...documented].sort()).toEqual(await errorCodes(() => true))
})

test('the codes of wrong fields are those that the API and the settings answer with', async () => {
  const api = fieldCodesIn('`code` in `errors`')
  expect(api).toEqual([...FIELD_ERROR_CODES])
  expect(api.sort()).toEqual([...(await fieldCodes(isOfTheApi)), ...URL_REFUSALS].sort())
  const documented = new Set([...api, ...fieldCodesIn('`code` in settings'), ...URL_REFUSALS])
  expect([...documented].sort()).toEqual(
    [...new Set([...(await fieldCodes(() => true)), ...URL_REFUSALS])].sort(),
  )
})

test('the reasons of a failed delivery are those of the log', () => {
  const documented = table('Error', 'What to check').flatMap(([codes = '']) => quoted(codes))
  expect(documented).toEqual([...DELIVERY_ERRORS])
})

/** `key create --name --org`: the words of a command and its options in order. */
function describe(usage: string): string {
  const words = /^[a-z]+( [a-z]+)*/.exec(usage)?.[0] ?? ''
  const options = [...usage.matchAll(/--[a-z-]+/g)].map(([option]) => option)
  return [words, ...options.sort()].join(' ')
}

/** From the help of the program, as a person would look for them. */
async function commandsBelow(path: string[]): Promise<string[]> {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  const { out } = await runProgram(place, [...path, '--help'])
  const names = [...(out.split('Commands:\n')[1] ?? '').matchAll(/^ {2}([a-z]+)/gm)]
  const below = names.flatMap(([, name = '']) => (name === 'help' ? [] : [[...path, name]]))
  if (below.length > 0) {
    return (await Promise.all(below.map(commandsBelow))).flat()
  }
  const options = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option)
  return [describe(`${path.join(' ')} ${options.filter((option) => option !== '--help').join(' ')}`)]
}

/** What a caller of `/v1` with a key can get. */
const OF_THE_API =
  /^server\/(errors\.ts|http|attachments|tickets|customers|events|moves|suggestions|search\/read-search|idempotency|requests|responses|messages\/(schedule|waiting|client|change-sent)|channels\/(telegram\/outbound\/change-telegram|email\/outbound\/recipients)|api-keys\/(require-|rate-limit)|webhooks\/(api|deliveries\/(resend|replay)|endpoints\/(endpoints|secrets))|database\/expensive-reads)/
const OF_THE_PAGES = /^server\/(http\/(assets|built-pages)|requests\/headers)\.ts$/

/** Thrown by the verbs of messages and endpoints, but only on pages; or when no one reads the answer. */
const ONLY_FOR_AGENTS = [
  '409 no_staged_secret',
  '409 secret_already_staged',
  '499 client_disconnected',
  '409 address_unknown',
  '409 answered_meanwhile',
  '409 customer_fixed',
  '409 not_changeable',
]

function isOfTheApi(path: string): boolean {
  return OF_THE_API.test(path) && !OF_THE_PAGES.test(path)
}

/** `409 agent_exists`: the rows of a table of errors. */
function codesIn(heading: string): string[] {
  return table('Status', heading).flatMap(([status, codes = '']) =>
    quoted(codes).map((code) => `${status} ${code}`),
  )
}

function fieldCodesIn(heading: string): string[] {
  return table(heading).flatMap(([codes = '']) => quoted(codes))
}

async function errorCodes(isWanted: (path: string) => boolean): Promise<string[]> {
  const plain = await wordsIn(/new AppError\(\s*(\d{3}),\s*'([a-z_]+)'/g, isWanted)
  const first = await wordsIn(/new AppError\(\s*(\d{3}),\s*[\w.]+ \? '([a-z_]+)'/g, isWanted)
  const other = await wordsIn(/new AppError\(\s*(\d{3}),\s*[\w.]+ \? '[a-z_]+' : '([a-z_]+)'/g, isWanted)
  return [...new Set([...plain, ...first, ...other])].sort()
}

async function fieldCodes(isWanted: (path: string) => boolean): Promise<string[]> {
  const plain = await wordsIn(/\bcode: '([a-z_]+)',\s*detail/g, isWanted)
  const chosen = await wordsIn(/\bcode: \w+ \? '([a-z_]+)' : '[a-z_]+'/g, isWanted)
  return [...new Set([...plain, ...chosen])].sort()
}

async function wordsIn(pattern: RegExp, isWanted: (path: string) => boolean): Promise<string[]> {
  const words = new Set<string>()
  for (const { path, text } of await readSources()) {
    if (!path.startsWith('server/') || !isWanted(path)) continue
    for (const [, ...found] of text.matchAll(pattern)) words.add(found.join(' '))
  }
  return [...words].sort()
}
