import { and, asc, eq, isNull } from 'drizzle-orm'
import { addressKey } from '../agents/agents.ts'
import { isPassword } from '../agents/password.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { agents } from '../database/tables/agents.ts'
import { organizations } from '../database/tables/organizations.ts'
import { actingAs, type Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newToken } from '../token.ts'
import type { Proof } from './attempts.ts'
import { type SeenFrom, startSession } from './sessions.ts'

export interface SignIn {
  email: string
  password: string
  /** Where the address is known in several organizations. */
  orgId?: string
  from: SeenFrom
}

/**
 * Either the token of a new session, or the organizations to choose from: those whose password fits. `proof`: whether
 * the password is that of every account with this address.
 */
export type SignInOutcome = { proof: Proof } & (
  | { token: string }
  | { organizations: { id: string; name: string }[] }
)

interface Account {
  orgId: string
  orgName: string
  agentId: string
  name: string
  email: string
  passwordHash: string | null
}

/** Throws 401 without saying what was wrong, after the same time for an address that nobody has. */
export async function signIn(deps: Deps, input: SignIn): Promise<SignInOutcome> {
  const accounts = await accountsOf(deps, input.email)
  const asked = accounts.filter(({ orgId }) => input.orgId === undefined || orgId === input.orgId)
  const fitting: Account[] = []
  // At least one password is compared.
  const nobody = { passwordHash: null }
  for (const account of asked.length > 0 ? asked : [nobody]) {
    const isRight = await isPassword(deps, input.password, account.passwordHash)
    if (isRight && 'orgId' in account) fitting.push(account)
  }
  const [account, ...others] = fitting
  if (!account) throw wrongCredentials()
  const proof = proofOf({ accounts, asked, fitting })
  if (others.length > 0) {
    return { proof, organizations: fitting.map(({ orgId, orgName }) => ({ id: orgId, name: orgName })) }
  }
  return { proof, token: await begin(deps, account, input) }
}

/** An account that has no password yet cannot be guessed. */
function proofOf(of: { accounts: Account[]; asked: Account[]; fitting: Account[] }): Proof {
  const isOpen = (account: Account) => account.passwordHash === null || of.fitting.includes(account)
  if (of.accounts.every(isOpen)) return 'whole'
  return of.asked.every(isOpen) ? 'part' : 'failed_elsewhere'
}

/** Enabled agents with this address; more than one only in several organizations. */
function accountsOf(deps: Deps, email: string): Promise<Account[]> {
  return deps.database.read
    .select({
      orgId: agents.orgId,
      orgName: organizations.name,
      agentId: agents.id,
      name: agents.name,
      email: agents.email,
      passwordHash: agents.passwordHash,
    })
    .from(agents)
    .innerJoin(organizations, eq(organizations.id, agents.orgId))
    .where(and(eq(agents.emailKey, addressKey(email)), isNull(agents.disabledAt)))
    .orderBy(asc(organizations.createdAt), asc(organizations.id))
}

async function begin(deps: Deps, account: Account, { from }: SignIn): Promise<string> {
  const { orgId, agentId } = account
  const token = newToken(deps)
  const actor = { kind: 'agent', id: agentId, name: account.name, address: from.address } as const
  await deps.database.write(async (tx) => {
    await requireUnchanged(tx, account)
    await startSession(deps, tx, { orgId, agentId, token, ...from })
    await recordAudit(actingAs(deps, actor), tx, orgId, {
      action: 'agent.signed_in',
      subject: { id: agentId, label: account.email },
    })
  })
  return token
}

/** Comparing takes a while, in which the agent may be disabled or get another password. */
async function requireUnchanged(tx: Transaction, { orgId, agentId, passwordHash }: Account): Promise<void> {
  if (passwordHash === null) throw wrongCredentials()
  const [same] = await tx
    .update(agents)
    .set({ passwordHash })
    .where(
      and(
        eq(agents.orgId, orgId),
        eq(agents.id, agentId),
        eq(agents.passwordHash, passwordHash),
        isNull(agents.disabledAt),
      ),
    )
    .returning({ id: agents.id })
  if (!same) throw wrongCredentials()
}

function wrongCredentials(): AppError {
  return new AppError(401, 'wrong_credentials', 'The address or the password is wrong.')
}
