import { recordAudit } from '../audit/audit.ts'
import type { Transaction } from '../database/database.ts'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newLogId } from '../events/positions.ts'
import { isNameTaken } from '../organizations/directory.ts'
import { newOrganization, type Organization, requireName } from '../organizations/organizations.ts'
import { type Agent, insertAgent, type NewAgent, type PreparedAgent, prepareAgent } from './agents.ts'

/**
 * Creates an organization and its administrator in one unit. Throws 400 for invalid input, and, unlike
 * `createOrganization`, 409 for a name in use: running the same command twice is a mistake.
 */
export async function setUp(
  deps: Deps,
  input: { org: string; admin: Omit<NewAgent, 'role'> },
): Promise<{ organization: Organization; admin: Agent }> {
  const organization = newOrganization(deps, requireName(input.org, '/org'))
  const prepared = await prepareAgent(deps, organization.id, { ...input.admin, role: 'admin' })
  await deps.database.write(organization.id, async (tx) => {
    const { name } = organization
    if (await isNameTaken(tx, name)) {
      throw new AppError(409, 'organization_exists', `An organization named "${name}" already exists.`)
    }
    await insertOrganization(deps, tx, organization, prepared)
  })
  return { organization, admin: prepared.agent }
}

/** Inserts an organization, its administrator and the first entry of its audit log. */
export async function insertOrganization(
  deps: Deps,
  tx: Transaction,
  organization: Organization,
  admin: PreparedAgent,
): Promise<void> {
  await tx.insert(organizations).values({ ...organization, logId: newLogId(deps) })
  await insertAgent(tx, admin)
  const { id, name } = organization
  const detail = { administrator: admin.agent.email }
  await recordAudit(deps, tx, id, { action: 'organization.created', subject: { id, label: name }, detail })
}
