import { eq } from 'drizzle-orm'
import { recordAudit } from '../audit/audit.ts'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { newOrganization, type Organization, requireName } from '../organizations/organizations.ts'
import { type Agent, insertAgent, type NewAgent, prepareAgent } from './agents.ts'

/**
 * The first step: an organization and its administrator, both or neither. Throws 400 for wrong input. Unlike
 * `createOrganization` it refuses (409) a name that is taken: the same command given twice is a mistake.
 */
export async function setUp(
  deps: Deps,
  input: { org: string; admin: Omit<NewAgent, 'role'> },
): Promise<{ organization: Organization; admin: Agent }> {
  const organization = newOrganization(deps, requireName(input.org, '/org'))
  const prepared = await prepareAgent(deps, organization.id, { ...input.admin, role: 'admin' })
  await deps.database.write(async (tx) => {
    const { name } = organization
    const same = await tx
      .select({ id: organizations.id })
      .from(organizations)
      .where(eq(organizations.name, name))
    if (same.length > 0) {
      throw new AppError(409, 'organization_exists', `There is already an organization "${name}".`)
    }
    await tx.insert(organizations).values(organization)
    await insertAgent(tx, prepared)
    const { id } = organization
    const detail = { administrator: prepared.agent.email }
    await recordAudit(deps, tx, id, { action: 'organization.created', subject: { id, label: name }, detail })
  })
  return { organization, admin: prepared.agent }
}
