import { eq } from 'drizzle-orm'
import { pushKeys } from '../../database/tables/notifications.ts'
import type { Deps } from '../../deps.ts'

const HOUR_MS = 3_600_000
/** A token may be valid for a day at most (RFC 8292, section 2). Half of it covers clocks that differ. */
const TOKEN_LIFE_MS = 12 * HOUR_MS
/** A token is used again until this long before its end. */
const RENEW_BEFORE_MS = HOUR_MS
const MAX_CACHED_TOKENS = 1_024

/** The key with which browsers subscribe. Makes the organization's keys at first use. */
export async function publicKeyOf(deps: Deps, orgId: string): Promise<string> {
  const found = await findKeys(deps, orgId)
  if (found) return found.publicKey
  const { exportJWK, generateKeyPair } = await import('jose')
  const pair = await generateKeyPair('ES256', { extractable: true })
  const [jwk, raw] = [await exportJWK(pair.privateKey), await crypto.subtle.exportKey('raw', pair.publicKey)]
  await deps.database.write(orgId, async (tx) => {
    // Another request may have been first.
    await tx
      .insert(pushKeys)
      .values({
        orgId,
        publicKey: Buffer.from(raw).toString('base64url'),
        privateKey: deps.encryption.encrypt(JSON.stringify(jwk), orgId),
        createdAt: deps.clock.now(),
      })
      .onConflictDoNothing()
  })
  const stored = await findKeys(deps, orgId)
  if (!stored) throw new Error(`The push keys of ${orgId} were not stored.`)
  return stored.publicKey
}

async function findKeys({ database }: Deps, orgId: string) {
  const [keys] = await database.read.select().from(pushKeys).where(eq(pushKeys.orgId, orgId))
  return keys
}

/** The `Authorization` of a push to an endpoint (RFC 8292). */
export type Authorize = (push: { orgId: string; endpoint: string; contact: string }) => Promise<string>

/** Signing takes longer than sending, so a token serves all endpoints of a push service until it is renewed. */
export function createAuthorize(deps: Deps): Authorize {
  const cached = new Map<string, { header: string; renewAt: number }>()
  return async ({ orgId, endpoint, contact }) => {
    const audience = new URL(endpoint).origin
    const name = `${orgId} ${audience} ${contact}`
    const now = deps.clock.now()
    const known = cached.get(name)
    if (known && known.renewAt > now && known.renewAt <= now + TOKEN_LIFE_MS) return known.header
    const keys = await findKeys(deps, orgId)
    if (!keys) throw new Error(`There are no push keys of ${orgId}.`)
    const { importJWK, SignJWT } = await import('jose')
    const key = await importJWK(JSON.parse(deps.encryption.decrypt(keys.privateKey, orgId)), 'ES256')
    const token = await new SignJWT()
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .setAudience(audience)
      .setExpirationTime(Math.floor((now + TOKEN_LIFE_MS) / 1_000))
      .setSubject(contact)
      .sign(key)
    const header = `vapid t=${token}, k=${keys.publicKey}`
    if (cached.size >= MAX_CACHED_TOKENS) cached.clear()
    cached.set(name, { header, renewAt: now + TOKEN_LIFE_MS - RENEW_BEFORE_MS })
    return header
  }
}
