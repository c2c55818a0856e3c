import { createHash } from 'node:crypto'
import { lte } from 'drizzle-orm'
import { matches } from '../../../database/matches.ts'
import { oauthSignIns } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { hashToken, newToken } from '../../../encryption.ts'
import { AppError } from '../../../errors.ts'
import type { MailDeps } from '../mail-account.ts'
import { NO_PROBLEM } from '../mailboxes/mailbox-rows.ts'
import { mailboxAccounts, readMailbox } from '../mailboxes/mailboxes.ts'
import { readOauthClient } from './oauth-clients.ts'
import { endpointsOf, type OauthProvider, PROVIDER_NAMES } from './oauth-providers.ts'
import { encryptTokens } from './oauth-tokens.ts'
import { requestTokens, type TokenAnswer, TokenError } from './token-request.ts'

/** How long an administrator has for the provider's pages. */
const MAX_SIGN_IN_MS = 600_000

interface OfAdmin {
  orgId: string
  agentId: string
}

/**
 * Starts a sign-in for a mailbox (RFC 6749, section 4.1, with PKCE, RFC 7636) and returns the provider's page to open.
 * `login` is the account to suggest there: for a shared mailbox it is another than the address. Throws 404, and 409 for a
 * mailbox with a password or a missing client.
 */
export async function startSignIn(
  deps: Deps,
  { orgId, agentId }: OfAdmin,
  { mailboxId, login, redirectUrl }: { mailboxId: string; login: string | undefined; redirectUrl: string },
): Promise<string> {
  const { signIn: provider, imap } = await readMailbox(deps, orgId, mailboxId)
  if (provider === 'password') {
    throw new AppError(409, 'password_mailbox', 'This mailbox signs in with a password.')
  }
  const { clientId, tenant } = await readOauthClient(deps, orgId, provider)
  const [state, verifier] = [newToken(deps), newToken(deps)]
  const now = deps.clock.now()
  const row = {
    stateHash: hashToken(state),
    orgId,
    agentId,
    mailboxId,
    verifier: deps.encryption.encrypt(verifier, mailboxId),
    redirectUrl,
    expiresAt: now + MAX_SIGN_IN_MS,
  }
  await deps.database.write(orgId, async (tx) => {
    await tx.delete(oauthSignIns).where(lte(oauthSignIns.expiresAt, now))
    await tx.insert(oauthSignIns).values(row)
  })
  const { authorization, scope, parameters } = endpointsOf(deps.config, provider, tenant)
  const url = new URL(authorization)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUrl,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    login_hint: login?.trim() || imap.user,
    ...parameters,
  }).toString()
  return url.href
}

/** How a sign-in ended. `expired`: it took too long, was already used, or was started by someone else. */
type SignInOutcome = 'done' | 'declined' | 'failed' | 'expired'

/**
 * Ends a sign-in with the parameters that the provider sent the browser back with, and connects the mailbox. A failure
 * is shown with the mailbox. Works once for each start.
 */
export async function finishSignIn(
  deps: Deps,
  mail: MailDeps,
  { orgId, agentId }: OfAdmin,
  { state, code }: { state: string; code: string | undefined },
): Promise<{ outcome: SignInOutcome; mailboxId?: string }> {
  const isStarted = matches(oauthSignIns, { stateHash: hashToken(state), orgId, agentId })
  const [started] = await deps.database.write(orgId, async (tx) => {
    const taken = await tx.delete(oauthSignIns).where(isStarted).returning()
    return taken
  })
  if (!started || started.expiresAt <= deps.clock.now()) return { outcome: 'expired' }
  const { mailboxId } = started
  if (!code) return { outcome: 'declined', mailboxId }
  const { signIn: provider } = await readMailbox(deps, orgId, mailboxId)
  if (provider === 'password') return { outcome: 'expired', mailboxId }
  try {
    const verifier = deps.encryption.decrypt(started.verifier, mailboxId)
    const given = { code, verifier, redirectUrl: started.redirectUrl }
    await connect(deps, { orgId, mailboxId }, await exchangeCode(deps, mail, { orgId, provider, ...given }))
    return { outcome: 'done', mailboxId }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    await showFailure(deps, { orgId, mailboxId }, error.message)
    return { outcome: 'failed', mailboxId }
  }
}

async function exchangeCode(
  deps: Deps,
  mail: MailDeps,
  given: { orgId: string; provider: OauthProvider; code: string; verifier: string; redirectUrl: string },
): Promise<TokenAnswer & { refreshToken: string }> {
  const { clientId, clientSecret, tenant } = await readOauthClient(deps, given.orgId, given.provider)
  const provider = PROVIDER_NAMES[given.provider]
  const { token, scope } = endpointsOf(deps.config, given.provider, tenant)
  const answer = await requestTokens(
    mail,
    { url: token, provider },
    {
      grant_type: 'authorization_code',
      code: given.code,
      code_verifier: given.verifier,
      redirect_uri: given.redirectUrl,
      client_id: clientId,
      client_secret: clientSecret,
      ...(given.provider === 'microsoft' && { scope }),
    },
  )
  const { refreshToken } = answer
  if (refreshToken) return { ...answer, refreshToken }
  throw new TokenError(
    'client',
    `${provider} returned no refresh token. Allow offline access for the OAuth client.`,
  )
}

async function connect(
  deps: Deps,
  { orgId, mailboxId: id }: { orgId: string; mailboxId: string },
  answer: TokenAnswer & { refreshToken: string },
): Promise<void> {
  const tokens = encryptTokens(deps, id, answer, answer.refreshToken)
  await mailboxAccounts.change(deps, orgId, { id, action: 'mailbox.signed_in' }, async (tx, before) =>
    mailboxAccounts.save(tx, before, {
      tokens,
      tokensVersion: before.tokensVersion + 1,
      state: before.state === 'refused' ? 'active' : before.state,
      ...NO_PROBLEM,
      updatedAt: deps.clock.now(),
    }),
  )
}

/** Only if the mailbox is waiting for the sign-in. Others continue as before. */
async function showFailure(
  deps: Deps,
  { orgId, mailboxId: id }: { orgId: string; mailboxId: string },
  sentence: string,
): Promise<void> {
  await mailboxAccounts.change(deps, orgId, { id, action: 'mailbox.sign_in_failed' }, async (tx, before) =>
    before.state === 'refused' ? mailboxAccounts.save(tx, before, { receiveError: sentence }) : before,
  )
}
