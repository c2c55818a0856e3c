import type { webhooks } from './types.ts'

/** How old a signed body can be, and how far the clocks can differ. */
const TOLERANCE_MS = 300_000

type BodyOf<Hook> = Hook extends { post: { requestBody: { content: { 'application/json': infer Body } } } }
  ? Body
  : Hook extends { post: { requestBody?: { content: { 'application/json': infer Body } } } }
    ? Body
    : never
/** The body of a webhook. `event` says which it is. */
export type WebhookEvent = { [Name in keyof webhooks]: BodyOf<webhooks[Name]> }[keyof webhooks]

/** A webhook isn't from Bellhop, was changed, or is too old. Answer with 401. */
export class WrongSignature extends Error {
  override readonly name = 'WrongSignature'
}

type GivenHeaders = Headers | Record<string, string | string[] | undefined>

/**
 * Checks the signature of a webhook and returns its body. `body` is as received: parsed and written again, it has other
 * bytes. `secret` is the endpoint's, with `whsec_`. Throws `WrongSignature`. Ignore a second delivery with the same
 * `X-Service-Delivery`.
 */
export async function verify(
  body: string | Uint8Array,
  headers: GivenHeaders,
  secret: string,
): Promise<WebhookEvent> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const header = readHeaders(headers)
  const standard = header('webhook-signature')
  const isRight = standard
    ? await isStandard(bytes, header, standard, secret)
    : await isSigned(bytes, fromHex(header('x-service-signature')), new TextEncoder().encode(secret))
  if (!isRight) throw new WrongSignature('The signature of the webhook is wrong.')
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** Standard Webhooks: with a time, and with each secret while it is rotated. */
async function isStandard(
  body: Uint8Array,
  header: (name: string) => string,
  signatures: string,
  secret: string,
): Promise<boolean> {
  const timestamp = header('webhook-timestamp')
  const age = Math.abs(Date.now() - Number(timestamp) * 1_000)
  if (!(age <= TOLERANCE_MS)) throw new WrongSignature('The webhook is too old, or a clock is wrong.')
  const start = new TextEncoder().encode(`${header('webhook-id')}.${timestamp}.`)
  const signed = new Uint8Array([...start, ...body])
  const key = fromBase64(secret.replace(/^whsec_/, ''))
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',')
    if (version === 'v1' && (await isSigned(signed, fromBase64(value), key))) return true
  }
  return false
}

/** In constant time. */
async function isSigned(body: Uint8Array, signature: Uint8Array, key: Uint8Array): Promise<boolean> {
  if (key.length === 0) return false
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key.slice(), hmac, false, ['verify'])
  return crypto.subtle.verify('HMAC', imported, signature.slice(), body.slice())
}

function readHeaders(headers: GivenHeaders): (name: string) => string {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? ''
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => String(lower.get(name) ?? '')
}

function fromHex(signature: string): Uint8Array {
  const [, hex = ''] = /^sha256=([0-9a-f]{64})$/.exec(signature) ?? []
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
