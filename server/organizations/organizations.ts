import { asc, eq, or } from 'drizzle-orm'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { isBlank } from '../requests/text.ts'

export const MOST_NAME_LENGTH = 255

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

/** Throws 400 when the name is blank or too long. Names need not be unique; commands then want the id. */
export async function createOrganization(deps: Deps, input: { name: string }): Promise<Organization> {
  const organization = newOrganization(deps, requireName(input.name))
  await deps.database.write(async (tx) => {
    await tx.insert(organizations).values(organization)
  })
  return organization
}

export function newOrganization(deps: Deps, name: string): Organization {
  return { id: deps.newId('org'), name, reopens: true, createdAt: deps.clock.now() }
}

/** Oldest first. */
export function listOrganizations(deps: Deps): Promise<Organization[]> {
  return deps.database.read
    .select(columns)
    .from(organizations)
    .orderBy(asc(organizations.createdAt), asc(organizations.id))
}

/** The organization with this id or, when only one is called so, this name. Throws 404, or 409 when several are. */
export async function findOrganization(deps: Deps, idOrName: string): Promise<Organization> {
  const found = await deps.database.read
    .select(columns)
    .from(organizations)
    .where(or(eq(organizations.id, idOrName), eq(organizations.name, idOrName)))
  const [organization] = found.filter(({ id }) => id === idOrName).concat(found)
  if (!organization) throw new AppError(404, 'not_found', `There is no organization "${idOrName}".`)
  if (organization.id !== idOrName && found.length > 1) {
    throw new AppError(409, 'ambiguous_name', `Several organizations are called "${idOrName}". Use the id.`)
  }
  return organization
}

/** Trimmed; throws 400 for names nobody could read. */
export function requireName(name: string, pointer = '/name'): string {
  const trimmed = name.trim()
  if (!isBlank(trimmed) && trimmed.length <= MOST_NAME_LENGTH) return trimmed
  throw invalid([{ pointer, code: 'invalid_name', detail: `Needs 1 to ${MOST_NAME_LENGTH} characters.` }])
}
