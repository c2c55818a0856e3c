import { afterAll, beforeAll, expect, test } from 'bun:test'
import { verifyIdentity } from '../../server/channels/widget/identity.ts'
import { readWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { openDeps } from '../../server/open-deps.ts'
import { freshPlace } from '../support/engine.ts'
import { type Place, runProgram } from '../support/program.ts'

let place: Place
let deps: Deps
let orgId: string

beforeAll(async () => {
  place = { ...(await freshPlace()), BELLHOP_URL: 'https://support.acme.example' }
  deps = await openDeps(readConfig(place))
  const setup = await bellhop('setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@example.com')
  orgId = setup.out.split('\n')[0] ?? ''
})

afterAll(() => deps.database.close())

function bellhop(...args: string[]) {
  return runProgram(place, args)
}

interface Created {
  id: string
  key: string
  snippet: string
  identitySecret?: string
}

async function create(...more: string[]): Promise<Created> {
  const args = ['widget', 'create', '--org', 'Acme', '--name', 'Shop', '--origin', 'https://shop.example']
  const { code, out, err } = await bellhop(...args, '--json', ...more)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

async function show(id: string): Promise<Record<string, unknown>> {
  return JSON.parse((await bellhop('widget', 'show', id, '--json')).out)
}

test('create prints id, key and snippet, and the identity secret only when asked', async () => {
  const more = ['--origin', 'https://*.shop.example', '--color', '#AA0000', '--verified-only']
  const made = await create(...more, '--identity-secret')
  expect<object>(made).toEqual({
    id: expect.stringMatching(/^wgt_\w{26}$/),
    key: expect.stringMatching(/^bellhop_pk_[0-9a-z]{12}_[\w-]{40}$/),
    snippet: `<script async src="https://support.acme.example/widget.js" data-key="${made.key}"></script>`,
    identitySecret: expect.stringMatching(/^bellhop_ws_[\w-]{43}$/),
  })
  expect(await show(made.id)).toMatchObject({
    state: 'active',
    origins: ['https://shop.example', 'https://*.shop.example'],
    appearance: { color: '#aa0000', title: 'Acme' },
    verifiedOnly: true,
  })
  expect(Object.keys(await create())).toEqual(['id', 'key', 'snippet'])
  const args = ['widget', 'create', '--org', orgId, '--name', 'Plain', '--origin', 'http://localhost:3000']
  expect((await bellhop(...args)).out).toMatch(
    /^<script async src=\S+ data-key="bellhop_pk_[0-9a-z]{12}_[\w-]{40}"><\/script>\n$/,
  )
})

test('list prints every widget with its state in a word and a sentence', async () => {
  const { id } = await create()
  await bellhop('widget', 'pause', id)
  const { out } = await bellhop('widget', 'list', '--org', 'Acme', '--json')
  const found: { id: string }[] = JSON.parse(out)
  expect<object | undefined>(found.find((one) => one.id === id)).toMatchObject({
    state: 'paused',
    detail: 'Paused. No website shows it.',
  })
  const table = (await bellhop('widget', 'list', '--org', 'Acme')).out
  expect(table).toContain('https://shop.example')
  expect((await bellhop('widget', 'resume', id)).out).toBe(`${id} is active.\n`)
  expect((await bellhop('widget', 'show', id)).out).toMatch(/state +active: Not seen on any website yet\./)
})

test('update changes what is given and keeps the rest', async () => {
  const { id } = await create('--greeting', 'Hi', '--verified-only')
  const more = [
    '--origin',
    'https://new.example',
    '--title',
    'Help',
    '--language',
    'de',
    '--no-verified-only',
  ]
  expect((await bellhop('widget', 'update', id, '--name', 'New', ...more)).out).toBe(`Changed ${id}.\n`)
  expect(await show(id)).toMatchObject({
    name: 'New',
    origins: ['https://new.example'],
    appearance: { title: 'Help', greeting: 'Hi', language: 'de', position: 'right' },
    verifiedOnly: false,
  })
})

test('rotate replaces the key, or the secret while the previous one is still accepted', async () => {
  const made = await create('--identity-secret')
  const { out: snippet } = await bellhop('widget', 'rotate', made.id, '--key')
  expect(snippet).toMatch(/data-key="bellhop_pk_/)
  expect(snippet).not.toContain(made.key)
  const { out, err } = await bellhop('widget', 'rotate', made.id, '--identity-secret')
  expect(err).toMatch(/^The previous secret is accepted until 20\d\d-\S+ \S+ UTC\.\n$/)
  const hashWith = (secret: string) => new Bun.CryptoHasher('sha256', secret).update('42').digest('hex')
  const widget = await readWidget(deps, orgId, made.id)
  const isValid = async (userHash: string) =>
    (await verifyIdentity(deps, widget, { userId: '42', userHash })).isValid
  for (const secret of [out.trim(), made.identitySecret ?? '']) {
    expect(await isValid(hashWith(secret))).toBe(true)
  }
  expect(await isValid(hashWith(out))).toBe(false)
})

test('remove ends the widget', async () => {
  const { id } = await create()
  expect(await bellhop('widget', 'remove', id)).toEqual({ code: 0, out: `Removed ${id}.\n`, err: '' })
  expect(await bellhop('widget', 'show', id)).toMatchObject({
    code: 1,
    err: 'There is no widget with this id.\n',
  })
})

const NEW = ['create', '--org', 'Acme', '--name', 'Shop', '--origin', 'https://shop.example']
test.each<[args: string[], code: number, err: string]>([
  [['create', '--org', 'Acme', '--name', 'Shop'], 2, "Required option '--origin <origin>' not specified"],
  [
    ['create', '--org', 'Acme', '--name', ' ', '--origin', 'https://a.example'],
    2,
    '--name: Must be 1 to 255',
  ],
  [
    ['create', '--org', 'Acme', '--name', 'x', '--origin', 'a.example'],
    2,
    '--origin: "a.example" needs https://',
  ],
  [[...NEW, '--color', 'blue'], 2, '--color: Must be a color such as #2563eb'],
  [['show', 'wgt_00000000000000000000000000'], 1, 'There is no widget with this id.'],
  [['update', 'wgt_00000000000000000000000000'], 2, 'Give at least one setting to change.'],
  [['rotate', 'wgt_00000000000000000000000000'], 2, 'Give either --key or --identity-secret.'],
  [['remove', 'Shop'], 2, `"Shop" isn't an id. Use the id of the widget.`],
])('widget %j fails in one sentence', async (args, code, err) => {
  expect(await bellhop('widget', ...args)).toEqual({ code, out: '', err: expect.stringContaining(err) })
})
