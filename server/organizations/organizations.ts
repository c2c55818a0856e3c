import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { newLogId } from '../events/positions.ts'
import { createOrganizationId } from '../ids.ts'
import { withoutDirectionControls } from '../text/direction-controls.ts'
import { isBlank } from '../text/text.ts'

export const MAX_NAME_LENGTH = 255

export interface Organization {
  id: string
  name: string
  reopens: boolean
  createdAt: number
}

export const organizationColumns = {
  id: organizations.id,
  name: organizations.name,
  reopens: organizations.reopens,
  createdAt: organizations.createdAt,
}

/** Throws 400 for a blank or too long name. Names may repeat; commands then need the id. */
export async function createOrganization(deps: Deps, input: { name: string }): Promise<Organization> {
  const organization = newOrganization(deps, requireName(input.name))
  await deps.database.write(organization.id, async (tx) => {
    await tx.insert(organizations).values({ ...organization, logId: newLogId(deps) })
  })
  return organization
}

export function newOrganization(deps: Deps, name: string): Organization {
  return { id: createOrganizationId(deps.clock.now()), name, reopens: true, createdAt: deps.clock.now() }
}

/** Trims a name. Throws 400 when it is blank or too long. */
export function requireName(name: string, pointer = '/name'): string {
  const trimmed = withoutDirectionControls(name).trim()
  if (!isBlank(trimmed) && trimmed.length <= MAX_NAME_LENGTH) return trimmed
  throw invalid([{ pointer, code: 'invalid_name', detail: `Must be 1 to ${MAX_NAME_LENGTH} characters.` }])
}
