import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { requireDataFolder } from '../data-folder.ts'
import { DATABASE_FILE } from '../database/open.ts'
import { actingAs, type Deps, openDeps } from '../deps.ts'
import { AppError, StartError } from '../errors.ts'
import { findOrganization, type Organization } from '../organizations/organizations.ts'
import { findOwner } from '../organizations/owner.ts'
import { UsageError } from './usage-error.ts'

/**
 * Opens the data for one command, beside a running server or without one, and closes it again. Throws `StartError`
 * where there is none: a command in the wrong folder must not leave a database there. Only `setup` may begin one.
 */
export async function withDeps<T>(work: (deps: Deps) => Promise<T>, mayBegin = false): Promise<T> {
  const config = readConfig()
  if (!mayBegin) requireData(config)
  requireDataFolder(config.dataFolder)
  const deps = await openDeps(config)
  try {
    return await work(actingAs(deps, { kind: 'command', name: 'a command on the server' }))
  } finally {
    await deps.database.close()
  }
}

/** `org` is an id or a name. */
export function withOrganization<T>(
  org: string,
  work: (deps: Deps, organization: Organization) => Promise<T>,
): Promise<T> {
  return withDeps(async (deps) => work(deps, await requireOrganization(deps, org)))
}

type Owned = 'agent' | 'API key' | 'endpoint' | 'delivery'

/** Of something named by its id. Names and addresses are unique within an organization only, so they need `org`. */
export function withOwner<T>(
  what: Owned,
  { named, org }: { named: string; org?: string | undefined },
  work: (deps: Deps, orgId: string) => Promise<T>,
): Promise<T> {
  if (org !== undefined) return withOrganization(org, (deps, { id }) => work(deps, id))
  if (!/^[a-z]{3}_/.test(named)) {
    const more = what === 'agent' || what === 'API key' ? ', or --org too' : ''
    throw new UsageError(`"${named}" is not an id. Give the id of the ${what}${more}.`)
  }
  return withDeps(async (deps) => work(deps, await requireOwner(deps, what, named)))
}

function requireData({ databaseUrl, dataFolder }: Config): void {
  if (databaseUrl || existsSync(join(dataFolder, DATABASE_FILE))) return
  throw new StartError(
    `There is no Bellhop data in ${resolve(dataFolder)}. Set BELLHOP_DATA to the server's folder, or begin with: bellhop setup`,
  )
}

async function requireOrganization(deps: Deps, org: string): Promise<Organization> {
  const { databaseUrl, dataFolder } = deps.config
  const place = databaseUrl ? 'the database of DATABASE_URL' : resolve(dataFolder)
  return renamed(findOrganization(deps, org), `There is no organization "${org}" in ${place}.`)
}

async function requireOwner(deps: Deps, what: Owned, id: string): Promise<string> {
  return renamed(findOwner(deps, id), `There is no ${what} with this id.`)
}

/** The same with another sentence for what is not there. */
async function renamed<T>(found: Promise<T>, sentence: string): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (error instanceof AppError && error.status === 404) throw new AppError(404, error.code, sentence)
    throw error
  }
}
