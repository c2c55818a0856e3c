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
import { type SeenFrom, startSession } from './sessions.ts'

export interface SignIn {
  email: string
  password: string
  /** Where the address is known in several organizations. */
  orgId?: string
  from: SeenFrom
}

/** Either the token of a new session, or the organizations to choose from: those whose password fits. */
export type SignInOutcome = { token: string } | { organizations: { id: string; name: string }[] }

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
  const accounts = await accountsOf(deps, input)
  const fitting: Account[] = []
  // At least one password is compared.
  const nobody = { passwordHash: null }
  for (const account of accounts.length > 0 ? accounts : [nobody]) {
    const isRight = await isPassword(deps, input.password, account.passwordHash)
    if (isRight && 'orgId' in account) fitting.push(account)
  }
  const [account, ...others] = fitting
  if (!account) throw wrongCredentials()
  if (others.length > 0) {
    return { organizations: fitting.map(({ orgId, orgName }) => ({ id: orgId, name: orgName })) }
  }
  return { token: await begin(deps, account, input) }
}

/** Enabled agents with this address; more than one only in several organizations. */
function accountsOf(deps: Deps, { email, orgId }: SignIn): Promise<Account[]> {
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
    .where(
      and(
        eq(agents.emailKey, addressKey(email)),
        isNull(agents.disabledAt),
        orgId === undefined ? undefined : eq(agents.orgId, orgId),
      ),
    )
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
