import { readConfig } from '../config.ts'
import { requireDataFolder } from '../data-folder.ts'
import { type Deps, openDeps } from '../deps.ts'
import { findOrganization, type Organization } from '../organizations/organizations.ts'
import { findOwner } from '../organizations/owner.ts'
import { requireSealingKey } from '../webhooks/sealing-key.ts'
import { UsageError } from './usage-error.ts'

/** Opens the data for one command, beside a running server or without one, and closes it again. */
export async function withDeps<T>(work: (deps: Deps) => Promise<T>): Promise<T> {
  const config = readConfig()
  requireDataFolder(config.dataFolder)
  const deps = await openDeps(config)
  try {
    await requireSealingKey(deps)
    return await work(deps)
  } finally {
    await deps.database.close()
  }
}

/** `org` is an id or a name. */
export function withOrganization<T>(
  org: string,
  work: (deps: Deps, organization: Organization) => Promise<T>,
): Promise<T> {
  return withDeps(async (deps) => work(deps, await findOrganization(deps, org)))
}

/** Of something named by its id. Names and addresses are unique within an organization only, so they need `org`. */
export function withOwner<T>(
  named: string,
  org: string | undefined,
  work: (deps: Deps, orgId: string) => Promise<T>,
): Promise<T> {
  if (org !== undefined) return withOrganization(org, (deps, { id }) => work(deps, id))
  if (!/^[a-z]{3}_/.test(named)) throw new UsageError(`"${named}" is not an id. Give the id, or --org too.`)
  return withDeps(async (deps) => work(deps, await findOwner(deps, named)))
}
