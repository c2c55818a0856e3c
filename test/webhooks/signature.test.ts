import { expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import {
  createSigningSecret,
  serviceSignature,
  standardSignature,
} from '../../server/webhooks/deliveries/signature.ts'

// Expected values were computed independently, with Python's hmac module and openssl.
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const STAGED = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA='
const ID = 'dlv_01jh0000000000000000000000'
const TIMESTAMP = 1767323045
const BODY = new TextEncoder().encode(
  '{"event":"ticket.created","createdAt":"2026-01-02T03:04:05.678Z","data":{"ticket":{"subject":"Grüße, 世界 🛎️ \\"<&>\\""}}}',
)

test.each([
  [SECRET, BODY, 'sha256=49548a77594e65085bf720bfffbdae2879c11738b923fcb4739734b92ee10648'],
  [SECRET, new Uint8Array(0), 'sha256=3869a63cbe73c747431cf9ff4d38cbaa6ad6adb0541c4753e1c90f7b6920620f'],
  [
    SECRET,
    Uint8Array.of(0, 255, 128, 10),
    'sha256=fe1c816aaccb60cf60757d304e999ab0ac74d13d150bad609bed0ebfc5e842e4',
  ],
  ['whsec_Schlüssel', BODY, 'sha256=d58a5ce25d6f5e8fc429267ee5346cc558c4c81cb02c637da0ab47e686662b81'],
])('the specified signature is keyed with the secret as displayed (%#)', (secret, body, expected) => {
  expect(serviceSignature(secret, body)).toBe(expected)
})

test('the Standard Webhooks signature is keyed with the decoded secret and covers id, time and body', () => {
  expect(standardSignature([SECRET], ID, TIMESTAMP, BODY)).toBe(
    'v1,9fW+4z4lcEu3NV4RcTQHLI955QiI+1Y6Tx9d8lFk9yQ=',
  )
})

test('during a rotation both secrets sign, in the given order', () => {
  expect(standardSignature([SECRET, STAGED], ID, TIMESTAMP, BODY)).toBe(
    'v1,9fW+4z4lcEu3NV4RcTQHLI955QiI+1Y6Tx9d8lFk9yQ= v1,5w8caZ6A2Dsv60qn03aW0WssZqQgzeJvb9cxkPKJNbw=',
  )
})

test('a receiver with the standardwebhooks package accepts either secret and rejects a changed body', () => {
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    'webhook-id': ID,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature([SECRET, STAGED], ID, timestamp, BODY),
  }
  const body = Buffer.from(BODY)
  expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(body.toString()))
  expect(new Webhook(STAGED).verify(body, headers)).toEqual(JSON.parse(body.toString()))
  expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow('No matching signature')
})

test('a new secret is whsec_ and the base64 of 32 random bytes', () => {
  const secret = createSigningSecret((size) => new Uint8Array(size).map((_, index) => index))
  expect(secret).toBe(SECRET)
})
