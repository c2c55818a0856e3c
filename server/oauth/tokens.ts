import { timingSafeEqual } from 'node:crypto'
import { and, eq, isNull } from 'drizzle-orm'
import { isStorageFault, type Reader, type Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import type { KeyScope } from '../database/tables/api-keys.ts'
import { type GrantTokenKind, grantTokens, programGrants } from '../database/tables/sessions.ts'
import { writeQuietly } from '../database/unit.ts'
import type { Deps } from '../deps.ts'
import { hashToken } from '../encryption.ts'
import type { createLimits } from '../requests/rolling-window.ts'
import { scopesNow } from './authorization.ts'
import { endGrant, lockGrant } from './grants.ts'
import { ACCESS_MS, issueToken, REFRESH_MS } from './issue-token.ts'
import { OAuthError, tooMany } from './oauth-error.ts'

/** Each leaves two rows, one of them for 30 days. A program needs one. */
const REFRESHES_PER_HOUR = 60
const SAVE_USE_EVERY_MS = 60_000
/** RFC 7636, section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/

/** The answer of the token endpoint (RFC 6749, section 5.1). */
export interface IssuedTokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

interface Redeemed {
  code: string
  clientId: string
  redirectUri: string
  verifier: string
}

/** Gives tokens for a code. Throws `OAuthError`. A second use of a code ends what the first one got. */
export async function redeemCode(deps: Deps, input: Redeemed): Promise<IssuedTokens> {
  const found = await findToken(deps, 'code', input.code)
  const terms = found?.terms
  const isRightfully =
    found?.clientId === input.clientId &&
    terms?.redirectUri === input.redirectUri &&
    isVerifier(input.verifier, terms.challenge)
  if (!found || !(isRightfully || found.usedAt !== null)) throw wrongCode()
  return (await use(deps, found, input.code)) ?? fail(wrongCode())
}

/**
 * Gives new tokens for a refresh token, which is used up. Throws `OAuthError`, and 429 for too many. A second use ends the
 * grant, even if the answer to the first one was lost: a thief's use looks the same.
 */
export async function refreshTokens(
  deps: Deps,
  limits: Pick<ReturnType<typeof createLimits>, 'take'>,
  input: { token: string; clientId: string; scope: string | undefined },
): Promise<IssuedTokens> {
  const found = await findToken(deps, 'refresh', input.token)
  if (!found) throw wrongRefreshToken()
  if (found.usedAt === null) {
    if (found.clientId !== input.clientId) throw wrongRefreshToken()
    const granted: readonly string[] = found.scopes
    if (input.scope?.split(' ').some((scope) => !granted.includes(scope))) {
      throw new OAuthError('invalid_scope', 'scope must not name more than was granted.')
    }
    const wait = limits.take([{ key: `refresh ${found.grantId}`, most: REFRESHES_PER_HOUR, in: 'hour' }])
    if (wait !== undefined) throw tooMany('Too many new tokens.', wait)
  }
  return (await use(deps, found, input.token)) ?? fail(wrongRefreshToken())
}

/** Ends the grant of any of its tokens (RFC 7009). Does nothing for an unknown one. Throws `OAuthError` for another client's. */
export async function revokeToken(deps: Deps, input: { token: string; clientId: string }): Promise<void> {
  const kinds = ['refresh', 'access'] as const
  for (const kind of kinds) {
    const found = await findToken(deps, kind, input.token)
    if (!found) continue
    if (found.clientId !== input.clientId) {
      throw new OAuthError('invalid_client', 'The token belongs to another client.')
    }
    const { orgId, grantId } = found
    await deps.database.write(orgId, async (tx) => {
      const grant = await lockGrant(tx, { orgId, id: grantId })
      if (grant) await endGrant(deps, tx, grant, 'program')
    })
  }
}

type FoundToken = Awaited<ReturnType<typeof tokenByHash>>[number]

/** Of an enabled agent. It may have expired, or been used. */
async function findToken(deps: Deps, kind: GrantTokenKind, token: string): Promise<FoundToken | undefined> {
  const [found] = await tokenByHash(deps.database.read, { hash: hashToken(token), kind })
  return found
}

/** The tokens that follow; undefined when it has expired, or was used before, which ends the grant. */
function use(deps: Deps, found: FoundToken, token: string): Promise<IssuedTokens | undefined> {
  const { orgId, grantId } = found
  return deps.database.write(orgId, async (tx) => {
    const grant = await lockGrant(tx, { orgId, id: grantId })
    if (!grant) return undefined
    const now = deps.clock.now()
    const [first] = await tx
      .update(grantTokens)
      .set({ usedAt: now })
      .where(and(matches(grantTokens, { orgId, hash: hashToken(token) }), isNull(grantTokens.usedAt)))
      .returning({ expiresAt: grantTokens.expiresAt })
    if (!first) {
      // It was copied. There is no telling which of the two is the program.
      await endGrant(deps, tx, grant, 'reuse')
      return undefined
    }
    if (first.expiresAt <= now) return undefined
    await tx
      .update(programGrants)
      .set({ expiresAt: now + REFRESH_MS })
      .where(matches(programGrants, { orgId, id: grantId }))
    return issued(deps, tx, found)
  })
}

async function issued(deps: Deps, tx: Transaction, found: FoundToken): Promise<IssuedTokens> {
  const grant = { orgId: found.orgId, id: found.grantId }
  const access = await issueToken(deps, tx, grant, { kind: 'access' })
  const refresh = await issueToken(deps, tx, grant, { kind: 'refresh' })
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: ACCESS_MS / 1_000,
    refresh_token: refresh,
    scope: scopesNow(found.scopes, found).join(' '),
  }
}

function isVerifier(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false
  const [ours, given] = [Buffer.from(Bun.SHA256.hash(verifier, 'base64url')), Buffer.from(challenge)]
  return ours.length === given.length && timingSafeEqual(ours, given)
}

/** An agent, through a program. */
interface ConnectedProgram {
  grantId: string
  orgId: string
  agentId: string
  agentName: string
  clientName: string
  /** What was granted and the agent's role still has. */
  scopes: KeyScope[]
}

/** Who acts with an access token; undefined when it has expired, its grant has ended, or its agent is disabled. */
export async function findProgram(deps: Deps, token: string): Promise<ConnectedProgram | undefined> {
  const found = await findToken(deps, 'access', token)
  const now = deps.clock.now()
  if (!found || found.expiresAt <= now) return undefined
  if ((found.lastUsedAt ?? 0) + SAVE_USE_EVERY_MS <= now) await saveUse(deps, found, now)
  const { grantId, orgId, agentId, agentName, clientName } = found
  return { grantId, orgId, agentId, agentName, clientName, scopes: scopesNow(found.scopes, found) }
}

/** A full disk doesn't keep programs from reading. */
async function saveUse(deps: Deps, { orgId, grantId }: FoundToken, now: number): Promise<void> {
  try {
    await deps.database.write(orgId, async (tx) => {
      writeQuietly()
      await tx
        .update(programGrants)
        .set({ lastUsedAt: now })
        .where(matches(programGrants, { orgId, id: grantId }))
    })
  } catch (error) {
    if (!isStorageFault(error)) throw error
    deps.log.warn('last_used_not_saved', { error })
  }
}

function wrongCode(): OAuthError {
  return new OAuthError('invalid_grant', 'The code is wrong, was used, or has expired, or its terms differ.')
}

function wrongRefreshToken(): OAuthError {
  return new OAuthError('invalid_grant', 'The refresh token is wrong, was used, or has expired.')
}

function fail(error: OAuthError): never {
  throw error
}

const tokenByHash = statement('grant_tokens_by_hash', { hash: text, kind: text }, (read: Reader, p) =>
  read
    .select({
      orgId: grantTokens.orgId,
      grantId: grantTokens.grantId,
      terms: grantTokens.terms,
      usedAt: grantTokens.usedAt,
      expiresAt: grantTokens.expiresAt,
      clientId: programGrants.clientId,
      clientName: programGrants.clientName,
      scopes: programGrants.scopes,
      lastUsedAt: programGrants.lastUsedAt,
      agentId: agents.id,
      agentName: agents.name,
      role: agents.role,
    })
    .from(grantTokens)
    .innerJoin(programGrants, matches(programGrants, { orgId: grantTokens.orgId, id: grantTokens.grantId }))
    .innerJoin(agents, matches(agents, { orgId: programGrants.orgId, id: programGrants.agentId }))
    .where(and(eq(grantTokens.hash, p.hash), eq(grantTokens.kind, p.kind), isNull(agents.disabledAt))),
)
