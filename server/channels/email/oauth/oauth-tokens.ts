import { matches } from '../../../database/matches.ts'
import { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { Dialer } from '../../../network/dial.ts'
import { failingSince } from '../../accounts/receiving-health.ts'
import { stopMailbox } from '../mailboxes/mailbox-health.ts'
import { type Mailbox, signInSentence } from '../mailboxes/mailbox-rows.ts'
import { readMailbox } from '../mailboxes/mailboxes.ts'
import { readOauthClient } from './oauth-clients.ts'
import { endpointsOf, PROVIDER_NAMES } from './oauth-providers.ts'
import { requestTokens, type TokenAnswer, TokenError } from './token-request.ts'

/** A token is renewed this long before it expires, so that it is still valid when the server checks it. */
const SPARE_MS = 120_000

interface Tokens {
  refreshToken: string
  accessToken: string
  /** Wall clock, like `obtainedAt`. */
  expiresAt: number
  obtainedAt: number
}

/** By mailbox id. Two refreshes with one refresh token could make each other's result invalid. */
const running = new Map<string, Promise<string>>()

/**
 * An access token of a Google or Microsoft mailbox, renewed if needed. A new refresh token is stored before the access
 * token is used. A refused refresh token stops the mailbox until an administrator signs in again. With `maxAgeMs`, the
 * token is not older than that. Throws `TokenError`.
 */
export function accessTokenOf(
  deps: Deps,
  dialer: Dialer,
  { orgId, id }: Pick<Mailbox, 'orgId' | 'id'>,
  { maxAgeMs = Number.POSITIVE_INFINITY }: { maxAgeMs?: number } = {},
): Promise<string> {
  const known = running.get(id)
  if (known) return known
  const work = freshToken(deps, dialer, { orgId, id, maxAgeMs }).finally(() => running.delete(id))
  running.set(id, work)
  return work
}

async function freshToken(
  deps: Deps,
  dialer: Dialer,
  { orgId, id, maxAgeMs }: { orgId: string; id: string; maxAgeMs: number },
): Promise<string> {
  const mailbox = await readMailbox(deps, orgId, id)
  const tokens = tokensOf(deps, mailbox)
  if (!tokens) throw new TokenError('refused', signInSentence(mailbox.signIn))
  if (isUsable(mailbox, tokens, deps.clock.now(), maxAgeMs)) return tokens.accessToken
  try {
    return await refresh(deps, dialer, mailbox, tokens)
  } catch (error) {
    if (!(error instanceof TokenError) || error.reason !== 'refused') throw error
    // Another process may have used the refresh token, and stored its successor.
    const newer = await readMailbox(deps, orgId, id)
    if (newer.tokensVersion !== mailbox.tokensVersion) return tokensOf(deps, newer)?.accessToken ?? ''
    await stopMailbox(deps, mailbox, {
      isSame: (before) => before.tokensVersion === mailbox.tokensVersion,
      changeOf: ({ receiveFailingSince }) => ({
        receiveError: error.message,
        receiveFailingSince: receiveFailingSince ?? deps.clock.now(),
      }),
    })
    throw error
  }
}

/** A token from before the mailbox began to fail may have been revoked, so it is not used again. */
function isUsable(mailbox: Mailbox, tokens: Tokens, now: number, maxAgeMs: number): boolean {
  const failing = failingSince(mailbox)
  if (failing !== null && tokens.obtainedAt < failing) return false
  return tokens.expiresAt - SPARE_MS > now && now - tokens.obtainedAt <= maxAgeMs
}

async function refresh(deps: Deps, dialer: Dialer, mailbox: Mailbox, tokens: Tokens): Promise<string> {
  const { signIn: provider, orgId, id, tokensVersion } = mailbox
  if (provider === 'password') throw new Error(`The mailbox ${id} signs in with a password.`)
  const client = await readOauthClient(deps, orgId, provider).catch((error) => {
    throw error instanceof AppError ? new TokenError('client', error.message) : error
  })
  const { token, scope } = endpointsOf(deps.config, provider, client.tenant)
  const at = { url: token, provider: PROVIDER_NAMES[provider] }
  const answer = await requestTokens({ clock: deps.clock, dialer }, at, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refreshToken,
    client_id: client.clientId,
    client_secret: client.clientSecret,
    ...(provider === 'microsoft' && { scope }),
  })
  const encrypted = encryptTokens(deps, id, answer, tokens.refreshToken)
  const isSame = matches(mailboxes, { orgId, id, tokensVersion })
  await deps.database.write(orgId, async (tx) => {
    await tx
      .update(mailboxes)
      .set({ tokens: encrypted, tokensVersion: tokensVersion + 1 })
      .where(isSame)
  })
  return answer.accessToken
}

/** The columns of tokens that were just obtained. Bound to the mailbox. */
export function encryptTokens(
  deps: Deps,
  mailboxId: string,
  answer: TokenAnswer,
  refreshToken: string,
): Uint8Array {
  const now = deps.clock.now()
  const tokens: Tokens = {
    refreshToken: answer.refreshToken ?? refreshToken,
    accessToken: answer.accessToken,
    expiresAt: now + answer.expiresIn * 1_000,
    obtainedAt: now,
  }
  return deps.encryption.encrypt(JSON.stringify(tokens), mailboxId)
}

function tokensOf(deps: Deps, { tokens, id }: Mailbox): Tokens | undefined {
  return tokens ? JSON.parse(deps.encryption.decrypt(tokens, id)) : undefined
}
