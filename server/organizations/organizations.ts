import { asc, eq, or } from 'drizzle-orm'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { withoutDirectionControls } from '../direction-controls.ts'
import { AppError, invalid } from '../errors.ts'
import { createOrganizationId } from '../ids.ts'
import { isBlank } from '../requests/text.ts'

export const MAX_NAME_LENGTH = 255

export interface Organization {
  id: string
  name: string
  reopens: boolean
  createdAt: number
}

const columns = {
  id: organizations.id,
  name: organizations.name,
  reopens: organizations.reopens,
  createdAt: organizations.createdAt,
}

/** Throws 400 for a blank or too long name. Names may repeat; commands then need the id. */
export async function createOrganization(deps: Deps, input: { name: string }): Promise<Organization> {
  const organization = newOrganization(deps, requireName(input.name))
  await deps.database.write(async (tx) => {
    await tx.insert(organizations).values(organization)
  })
  return organization
}

export function newOrganization(deps: Deps, name: string): Organization {
  return { id: createOrganizationId(deps.clock.now()), name, reopens: true, createdAt: deps.clock.now() }
}

/** Oldest first. */
export function listOrganizations(deps: Deps): Promise<Organization[]> {
  return deps.database.read
    .select(columns)
    .from(organizations)
    .orderBy(asc(organizations.createdAt), asc(organizations.id))
}

/** Finds an organization by id, or by name if it is unique. Throws 404, and 409 if several have the name. */
export async function findOrganization(deps: Deps, idOrName: string): Promise<Organization> {
  const found = await deps.database.read
    .select(columns)
    .from(organizations)
    .where(or(eq(organizations.id, idOrName), eq(organizations.name, idOrName)))
  const [organization] = found.filter(({ id }) => id === idOrName).concat(found)
  if (!organization) throw new AppError(404, 'not_found', `No organization has the id or name "${idOrName}".`)
  if (organization.id !== idOrName && found.length > 1) {
    throw new AppError(409, 'ambiguous_name', `Several organizations are named "${idOrName}". Use the id.`)
  }
  return organization
}

/** Trims a name. Throws 400 when it is blank or too long. */
export function requireName(name: string, pointer = '/name'): string {
  const trimmed = withoutDirectionControls(name).trim()
  if (!isBlank(trimmed) && trimmed.length <= MAX_NAME_LENGTH) return trimmed
  throw invalid([{ pointer, code: 'invalid_name', detail: `Must be 1 to ${MAX_NAME_LENGTH} characters.` }])
}
