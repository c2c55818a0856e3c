import { afterAll, expect, test } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { seeded } from '../support/random.ts'
import { type ListedTicketJson, makeTicket, readTicket, ticketInput } from '../support/tickets.ts'

// Random bodies and queries, the same ones each run: whatever comes, no 5xx, and only what was accepted is there.

const bellhop = await startBellhop({
  clock: createManualClock(),
  settings: { BELLHOP_RATE_LIMIT: '1000000' },
})
afterAll(() => bellhop.stop())

const ROUNDS = 400
const AT_ONCE = 20

const WORDS: unknown[] = [
  ...[
    '',
    ' ',
    'open',
    'resolved',
    'pending',
    'api',
    'email',
    'unassigned',
    'a@b.co',
    '\u0000',
    '\ud83d',
    '\u202e',
  ],
  ...['x'.repeat(300), '__proto__', '0', '-1', '1e99', 'null', "'", '"', '\\', '%00', '👋', '\uffff'],
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    1e308,
    Number.MIN_VALUE,
    [],
    {},
    [[]],
    [null],
    [''],
    ['a', 'a', ' a '],
  ],
]
const NAMES = [
  'subject',
  'message',
  'customer',
  'channel',
  'tags',
  'status',
  'assignedTo',
  'text',
  'id',
  '__proto__',
]

test('random bodies never break a POST or a PATCH', async () => {
  const client = await bellhop.organization()
  const { id } = await makeTicket(client)
  const random = createRandom(1)
  const seen = new Map<number, number>()
  let accepted = 0
  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, async () => {
      const [method, path, start] = random.pick([
        ['POST', '/tickets', ticketInput()],
        ['PATCH', `/tickets/${id}`, { status: 'open', tags: ['a'] }],
        ['POST', `/tickets/${id}/messages`, { text: 'Hello' }],
      ] as const)
      const raw = damaged(random, JSON.stringify(changed(random, start)))
      const answer = await client.call<ListedTicketJson>(method, path, { raw })
      expect([answer.status < 500, raw.slice(0, 300), answer.text.slice(0, 300)]).toEqual([
        true,
        raw.slice(0, 300),
        answer.text.slice(0, 300),
      ])
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
      if (answer.status === 201 && path === '/tickets') {
        accepted += 1
        expect(await readTicket(client, answer.json.id)).toMatchObject({ ...answer.json })
      }
    })
    await Promise.all(calls)
  }
  // The bodies are of both kinds: a generator that only ever made nonsense would show nothing.
  expect(seen.get(400) ?? 0).toBeGreaterThan(ROUNDS / 10)
  expect((seen.get(200) ?? 0) + (seen.get(201) ?? 0)).toBeGreaterThan(ROUNDS / 10)
  const list = await client.call<{ meta: { total: number } }>('GET', '/tickets')
  expect(list.json.meta.total).toBe(accepted + 1)
})

test('random queries never break a list', async () => {
  const client = await bellhop.organization()
  await Promise.all(Array.from({ length: 5 }, () => makeTicket(client, { tags: ['a'] })))
  const random = createRandom(2)
  const names = [
    'status',
    'channel',
    'assignedTo',
    'tag',
    'page',
    'per_page',
    'sort',
    'cursor',
    '__proto__',
    'x',
  ]
  const values = [
    ...WORDS.map(String),
    'created_asc',
    'updated_desc',
    '1',
    '2',
    '100',
    'a',
    'WyJuIiwiIiwwLCIiLDFd',
  ]
  const seen = new Set<number>()
  for (let round = 0; round < ROUNDS; round += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, async () => {
      const parameters = Array.from({ length: random.below(4) }, () => [
        random.pick(names),
        random.pick(values),
      ])
      const query = parameters.map(([name, value]) => `${name}=${encode(value ?? '')}`).join('&')
      const answer = await client.call('GET', `/tickets?${query}`)
      expect([[200, 400].includes(answer.status), query, answer.text.slice(0, 300)]).toEqual([
        true,
        query,
        answer.text.slice(0, 300),
      ])
      seen.add(answer.status)
    })
    await Promise.all(calls)
  }
  expect(seen).toEqual(new Set([200, 400]))
})

interface Random {
  below(limit: number): number
  pick<T>(from: readonly T[]): T
}

function createRandom(seed: number): Random {
  const below = seeded(seed)
  return {
    below,
    pick(from) {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new Error('There was nothing to pick from.')
      return picked
    },
  }
}

/** The same with up to two fields of it replaced, added or left out. */
function changed(random: Random, start: object): object {
  const body: Record<string, unknown> = { ...start }
  for (let change = random.below(3); change > 0; change -= 1) {
    const name = random.pick(random.below(4) === 0 ? NAMES : Object.keys(start))
    if (random.below(4) === 0) delete body[name]
    else
      Object.defineProperty(body, name, {
        value: value(random, 3),
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  return body
}

function value(random: Random, levels: number): unknown {
  const kind = levels === 0 ? 0 : random.below(4)
  if (kind === 1) return Array.from({ length: random.below(4) }, () => value(random, levels - 1))
  if (kind === 2) return { [random.pick(NAMES)]: value(random, levels - 1), email: random.pick(WORDS) }
  return random.pick(WORDS)
}

/** One in eight is no JSON any more: cut, or with a character put in. */
function damaged(random: Random, json: string): string {
  if (random.below(8) !== 0) return json
  const place = random.below(json.length)
  return random.below(2) === 0
    ? json.slice(0, place)
    : json.slice(0, place) + random.pick(['"', '{', '\\', ']', ',', '\u0000'])
}

/** As a hasty client would: broken surrogates cannot be encoded, and percent signs go as they are. */
function encode(text: string): string {
  return text.isWellFormed() && text !== '%00' ? encodeURIComponent(text) : text.replace(/[^!-~]/g, '')
}
