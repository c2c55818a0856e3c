import { and, asc, count, desc, eq, getTableColumns, isNotNull, isNull, ne, or } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import { bots } from '../database/tables/bots.ts'
import { mailboxes } from '../database/tables/mailboxes.ts'
import { organizations } from '../database/tables/organizations.ts'
import { deliveries, endpoints } from '../database/tables/webhooks.ts'
import { widgets } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { type Organization, organizationColumns } from './organizations.ts'

// Everything that is looked up without knowing the organization: who signs in, whose key it is, and what commands ask.
// The rest of the code names the organization in each query, which the architecture test checks.

/** Whether there is an organization. */
export async function isSetUp(read: Reader | Transaction): Promise<boolean> {
  const some = await read.select({ id: organizations.id }).from(organizations).limit(1)
  return some.length > 0
}

/** Oldest first. */
export function listOrganizations(deps: Pick<Deps, 'database'>): Promise<Organization[]> {
  return deps.database.read
    .select(organizationColumns)
    .from(organizations)
    .orderBy(asc(organizations.createdAt), asc(organizations.id))
}

/** Finds an organization by id, or by name if it is unique. Throws 404, and 409 if several have the name. */
export async function findOrganization(deps: Deps, idOrName: string): Promise<Organization> {
  const found = await deps.database.read
    .select(organizationColumns)
    .from(organizations)
    .where(or(eq(organizations.id, idOrName), eq(organizations.name, idOrName)))
  const [organization] = found.filter(({ id }) => id === idOrName).concat(found)
  if (!organization) throw new AppError(404, 'not_found', `No organization has the id or name "${idOrName}".`)
  if (organization.id !== idOrName && found.length > 1) {
    throw new AppError(409, 'ambiguous_name', `Several organizations are named "${idOrName}". Use the id.`)
  }
  return organization
}

/** Whether an organization has this name. */
export async function isNameTaken(tx: Transaction, name: string): Promise<boolean> {
  const same = await tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.name, name))
  return same.length > 0
}

export interface Account {
  orgId: string
  orgName: string
  agentId: string
  name: string
  email: string
  passwordHash: string | null
}

/** Enabled agents with this email who can have a password, at most one per organization. */
export function findAccounts(read: Reader, emailKey: string): Promise<Account[]> {
  return read
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
    .where(and(eq(agents.emailKey, emailKey), isNull(agents.disabledAt), ne(agents.role, 'program')))
    .orderBy(asc(organizations.createdAt), asc(organizations.id))
}

/** The most organizations in which one email address has an enabled agent. */
export async function mostAccountsOfOneEmail(read: Reader): Promise<number> {
  const [most] = await read
    .select({ accounts: count() })
    .from(agents)
    .where(isNull(agents.disabledAt))
    .groupBy(agents.emailKey)
    .orderBy(desc(count()))
    .limit(1)
  return most?.accounts ?? 0
}

const { hash: _, ...withoutHash } = getTableColumns(apiKeys)
/** An API key as it is shown, without the hash of the key itself, and the program that it belongs to. */
export const keyColumns = { ...withoutHash, program: { name: agents.name, disabledAt: agents.disabledAt } }

export const isProgramOfKey = matches(agents, { orgId: apiKeys.orgId, id: apiKeys.agentId })

export const keyByHash = statement('api_keys_by_hash', { hash: text }, (read: Reader, p) =>
  read.select(keyColumns).from(apiKeys).leftJoin(agents, isProgramOfKey).where(eq(apiKeys.hash, p.hash)),
)

/** A revoked public key. `deletedAt` is of its widget, which may have another key now. */
export const revokedKey = statement('widgets_revoked_key', { hash: text }, (read: Reader, p) =>
  read
    .select({ deletedAt: widgets.deletedAt })
    .from(apiKeys)
    .leftJoin(widgets, matches(widgets, { keyId: apiKeys.id, orgId: apiKeys.orgId }))
    .where(and(matches(apiKeys, { hash: p.hash, kind: 'public' }), isNotNull(apiKeys.revokedAt))),
)

/**
 * Finds the organization that owns an agent, API key, endpoint, delivery, mailbox, widget or bot. Only for commands: they may
 * access every organization. Throws 404.
 */
export async function findOwner(deps: Deps, id: string): Promise<string> {
  const [owner] = await rowsWith(deps, id)
  if (!owner) throw notFound('agent, API key, endpoint, delivery, mailbox, widget or bot')
  return owner.orgId
}

async function rowsWith({ database: { read } }: Deps, id: string): Promise<{ orgId: string }[]> {
  for (const [prefix, table] of OWNED) {
    if (isId(prefix, id)) return read.select({ orgId: table.orgId }).from(table).where(eq(table.id, id))
  }
  return []
}

const OWNED = [
  ['dlv', deliveries],
  ['whe', endpoints],
  ['key', apiKeys],
  ['agt', agents],
  ['mbx', mailboxes],
  ['wgt', widgets],
  ['bot', bots],
] as const
