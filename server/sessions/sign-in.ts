import { and, isNull } from 'drizzle-orm'
import { addressKey } from '../agents/agents.ts'
import { isPassword } from '../agents/password.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { agents } from '../database/tables/agents.ts'
import { actingAs, type Deps } from '../deps.ts'
import { newToken } from '../encryption.ts'
import { AppError } from '../errors.ts'
import { type Account, findAccounts, mostAccountsOfOneEmail } from '../organizations/directory.ts'
import type { Proof } from './attempts.ts'
import { type SeenFrom, startSession } from './sessions.ts'

interface SignIn {
  email: string
  password: string
  /** Set when the agent chose among several organizations. */
  orgId?: string
  from: SeenFrom
}

/** Either the token of a new session, or the organizations where the password is right, to choose from. */
type SignInOutcome = { proof: Proof } & (
  | { token: string }
  | { organizations: { id: string; name: string }[] }
)

/** Throws 401 without saying what was wrong, and takes the same time for every email, with or without accounts. */
export async function signIn(deps: Deps, input: SignIn): Promise<SignInOutcome> {
  const accounts = await findAccounts(deps.database.read, addressKey(input.email))
  const candidates = accounts.filter(({ orgId }) => input.orgId === undefined || orgId === input.orgId)
  const matches: Account[] = []
  // Checks as many passwords for every email as for the one with the most accounts, so that the time doesn't reveal who
  // has one.
  const checks = Math.max(1, candidates.length, await mostAccountsOfOneEmail(deps.database.read))
  for (let number = 0; number < checks; number += 1) {
    const account = candidates[number]
    const isRight = await isPassword(deps, input.password, account?.passwordHash ?? null)
    if (isRight && account) matches.push(account)
  }
  const [account, ...others] = matches
  if (!account) {
    recordFailures(deps, candidates, input.from)
    throw wrongCredentials()
  }
  const proof = proofOf({ accounts, candidates, matches })
  if (others.length > 0) {
    return { proof, organizations: matches.map(({ orgId, orgName }) => ({ id: orgId, name: orgName })) }
  }
  return { proof, token: await begin(deps, account, input) }
}

/** An account without a password can't be guessed, so it counts as proven. */
function proofOf(of: { accounts: Account[]; candidates: Account[]; matches: Account[] }): Proof {
  const isProven = (account: Account) => account.passwordHash === null || of.matches.includes(account)
  if (of.accounts.every(isProven)) return 'whole'
  return of.candidates.every(isProven) ? 'part' : 'failed_elsewhere'
}

/** Not awaited: the time of the response must not show whether there is an account. */
function recordFailures(deps: Deps, accounts: Account[], { address }: SeenFrom): void {
  if (accounts.length === 0) return
  const as = actingAs(deps, { kind: 'system', name: 'Someone', address })
  const written = deps.database.write(undefined, async (tx) => {
    for (const { orgId, agentId, email } of accounts) {
      const subject = { id: agentId, label: email }
      await recordAudit(as, tx, orgId, { action: 'agent.sign_in_failed', subject })
    }
  })
  written.catch((error: unknown) => deps.log.warn('failed_sign_in_not_recorded', { error }))
}

async function begin(deps: Deps, account: Account, { from }: SignIn): Promise<string> {
  const { orgId, agentId } = account
  const token = newToken(deps)
  const actor = { kind: 'agent', id: agentId, name: account.name, address: from.address } as const
  await deps.database.write(orgId, async (tx) => {
    await requireUnchanged(tx, account)
    await startSession(deps, tx, { orgId, agentId, token, ...from })
    await recordAudit(actingAs(deps, actor), tx, orgId, {
      action: 'agent.signed_in',
      subject: { id: agentId, label: account.email },
    })
  })
  return token
}

/** Throws 401 when the agent was disabled or got another password while theirs was checked. */
async function requireUnchanged(tx: Transaction, { orgId, agentId, passwordHash }: Account): Promise<void> {
  if (passwordHash === null) throw wrongCredentials()
  const [same] = await tx
    .update(agents)
    .set({ passwordHash })
    .where(and(matches(agents, { orgId, id: agentId, passwordHash }), isNull(agents.disabledAt)))
    .returning({ id: agents.id })
  if (!same) throw wrongCredentials()
}

function wrongCredentials(): AppError {
  return new AppError(401, 'wrong_credentials', 'Wrong email or password.')
}
