import { afterAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

const DAY_MS = 86_400_000

interface Check {
  isValid: boolean
  detail: string
  user: { id: string; name: string; email: string } | null
}

async function shop() {
  const { orgId } = await bellhop.organization('Acme')
  const ana = await signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  const { json } = await ana.call<{ widget: { id: string }; identitySecret: string }>(
    'POST',
    '/console/widgets',
    { body: { name: 'Shop', origins: ['https://shop.example'] } },
  )
  const at = `/console/widgets/${json.widget.id}`
  const check = async (body: object) => {
    const answer = await ana.call<Check>('POST', `${at}/check-identity`, { body })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).not.toContain(json.identitySecret)
    return answer.json
  }
  const rotate = async () =>
    (await ana.call<{ identitySecret: string }>('POST', `${at}/identity-secret`)).json.identitySecret
  return { ana, at, secret: json.identitySecret, check, rotate }
}

function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}

/** `exp` in ten minutes unless given. */
function token(secret: string, claims: object, header: object = { alg: 'HS256' }, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode({ exp: inSeconds(600), ...claims })}`
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
}

function inSeconds(seconds: number): number {
  return Math.floor(clock.now() / 1_000) + seconds
}

function hashOf(secret: string, userId: string): string {
  return createHmac('sha256', secret).update(userId).digest('hex')
}

test('a token signed with the secret of the widget tells who its user is', async () => {
  const { secret, check } = await shop()
  const claims = { sub: '42', name: ' Carla ', email: 'carla@example.com' }
  const user = { id: '42', name: 'Carla', email: 'carla@example.com' }
  expect(await check({ jwt: token(secret, claims) })).toEqual({ isValid: true, detail: 'Valid.', user })
  // Only an id; and what a website says about an address that it hasn't checked.
  expect((await check({ jwt: ` ${token(secret, { sub: '42' })}\n` })).user).toEqual({
    ...user,
    name: '',
    email: '',
  })
  const unchecked = token(secret, { ...claims, email_verified: false })
  expect((await check({ jwt: unchecked })).user).toEqual({ ...user, email: '' })
  const nothing = token(secret, { sub: '42', name: null, email: '' })
  expect((await check({ jwt: nothing })).user).toEqual({ ...user, name: '', email: '' })
  const odd = token(secret, { sub: '42', name: `a\0\n${'\u{1F6CE}'.repeat(300)}\ud83d` })
  expect((await check({ jwt: odd })).user?.name).toBe(`a ${'\u{1F6CE}'.repeat(253)}`)
  // The clock of the website may be a little ahead or behind.
  expect((await check({ jwt: token(secret, { ...claims, exp: inSeconds(-30) }) })).isValid).toBe(true)
  expect((await check({ jwt: token(secret, { ...claims, exp: inSeconds(3_630) }) })).isValid).toBe(true)
})

test('a sentence says what is wrong with a token', async () => {
  const { secret, check } = await shop()
  const { secret: another } = await shop()
  const good = token(secret, { sub: '42' })
  const [header = '', body = '', signature = ''] = good.split('.')
  const faults: [jwt: string, detail: RegExp][] = [
    ['', /isn't a JWT/],
    ['42', /isn't a JWT/],
    ['a.b.c', /isn't a JWT/],
    [`${encode('{')}.${body}.${signature}`, /isn't a JWT/],
    [`${header}.${body}`, /isn't a JWT/],
    [`${good}.x`, /isn't a JWT/],
    ['x'.repeat(9_000), /longer than 8192 characters/],
    [`${encode({ alg: 'none' })}.${body}.`, /algorithm is "none". Sign it with HS256/],
    [`${encode({ alg: 'None' })}.${body}.${signature}`, /algorithm is "None"/],
    [token(secret, { sub: '42' }, { alg: 'HS512' }, 'sha512'), /algorithm is "HS512"/],
    [`${encode({ alg: 'RS256' })}.${body}.${signature}`, /algorithm is "RS256"/],
    [token('guessed', { sub: '42' }), /signature is wrong/],
    [token(another, { sub: '42' }), /signature is wrong/],
    [token(secret.slice('bellhop_ws_'.length), { sub: '42' }), /signature is wrong/],
    [`${header}.${encode({ exp: inSeconds(600), sub: '1' })}.${signature}`, /signature is wrong/],
    [`${header}.${body}.`, /signature is wrong/],
    [token(secret, { sub: '42', exp: undefined }), /has no exp/],
    [
      token(secret, { sub: '42', exp: inSeconds(3_700) }),
      /valid for too long, until 2026-03-01 10:01:40 UTC/,
    ],
    [token(secret, { sub: '42', exp: 99_999_999_999_999 }), /valid for too long/],
    [token(secret, { sub: '42', exp: inSeconds(-61) }), /expired at 2026-03-01 08:58:59 UTC/],
    [token(secret, { sub: '42', exp: '2026' }), /exp must be a number/],
    [token(secret, { sub: '42', nbf: inSeconds(120) }), /isn't valid yet/],
    [token(secret, {}), /has no sub/],
    [token(secret, { sub: 42 }), /sub must be text, such as "42" in quotation marks/],
    [token(secret, { sub: ' ' }), /sub is empty/],
    [token(secret, { sub: 'x'.repeat(256) }), /sub is longer than 255/],
    [token(secret, { sub: 'a\0b' }), /sub contains a control character/],
    [token(secret, { sub: 'a\ud83d' }), /or an incomplete character/],
    [token(secret, { sub: '42', name: 7 }), /name must be text/],
    [token(secret, { sub: '42', email: ['a@example.com'] }), /email must be text/],
    [token(secret, { sub: '42', email: 'carla' }), /email isn't an email address/],
  ]
  for (const [jwt, detail] of faults) {
    const expected = { isValid: false, detail: expect.stringMatching(detail), user: null }
    expect<Check>(await check({ jwt }), `${detail} ${jwt.slice(0, 300)}`).toEqual(expected)
  }
})

test('a user hash proves the id of a user and nothing else', async () => {
  const { ana, at, secret, check } = await shop()
  const userHash = hashOf(secret, '42')
  const user = { id: '42', name: '', email: '' }
  expect(await check({ userId: '42', userHash })).toEqual({ isValid: true, detail: 'Valid.', user })
  expect((await check({ userId: '42', userHash: userHash.toUpperCase() })).isValid).toBe(true)
  const faults: [userId: string, userHash: string, detail: RegExp][] = [
    ['43', userHash, /user hash is wrong/],
    ['42 ', userHash, /user hash is wrong/],
    ['42', 'a'.repeat(64), /user hash is wrong/],
    ['42', hashOf('guessed', '42'), /user hash is wrong/],
    ['42', userHash.slice(1), /must be 64 hexadecimal digits/],
    ['42', createHmac('sha256', secret).update('42').digest('base64'), /must be 64 hexadecimal digits/],
    ['42', '', /must be 64 hexadecimal digits/],
    ['', hashOf(secret, ''), /user id is empty/],
    ['x'.repeat(256), hashOf(secret, 'x'.repeat(256)), /longer than 255/],
  ]
  for (const [userId, given, detail] of faults) {
    const { isValid, detail: found } = await check({ userId, userHash: given })
    expect([isValid, found]).toEqual([false, expect.stringMatching(detail)])
  }
  const half = await ana.call('POST', `${at}/check-identity`, { body: { userId: '42' } })
  expect([half.status, half.json]).toMatchObject([400, { errors: [{ pointer: '/jwt', code: 'required' }] }])
})

test('after a rotation, the previous secret is accepted for a day, and the one before it no more', async () => {
  const { secret: first, check, rotate, ana, at } = await shop()
  const isValid = async (secret: string) =>
    (await check({ userId: '42', userHash: hashOf(secret, '42') })).isValid
  const second = await rotate()
  expect(second).not.toBe(first)
  expect([await isValid(first), await isValid(second)]).toEqual([true, true])
  expect(await check({ jwt: token(first, { sub: '42' }) })).toMatchObject({
    isValid: true,
    detail: expect.stringContaining('signed with the previous secret'),
  })
  const { json } = await ana.call('GET', at)
  expect(json.previousSecretUntil).toBe('2026-03-02T09:00:00.000Z')
  clock.advance(DAY_MS - 1)
  expect(await isValid(first)).toBe(true)
  clock.advance(1)
  expect([await isValid(first), await isValid(second)]).toEqual([false, true])
  const third = await rotate()
  const fourth = await rotate()
  expect([await isValid(second), await isValid(third), await isValid(fourth)]).toEqual([false, true, true])
})
