import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { requireDataFolder } from '../data-folder.ts'
import { announcedUrl } from '../database/lock.ts'
import { DATABASE_FILE } from '../database/open.ts'
import { actingAs, type Deps, openDeps } from '../deps.ts'
import { AppError, StartError, UsageError } from '../errors.ts'
import { findOrganization, type Organization } from '../organizations/organizations.ts'
import { findOwner } from '../organizations/owner.ts'

/**
 * Opens the data for one command and closes it afterward. Works with or without a running server. Throws `StartError`
 * when there is no data, so that a command in the wrong folder doesn't create a database. Only `setup` may create one.
 */
export async function withDeps<T>(work: (deps: Deps) => Promise<T>, mayCreate = false): Promise<T> {
  const config = readConfig()
  if (!mayCreate) requireData(config)
  requireDataFolder(config.dataFolder)
  const deps = await openDeps(config)
  try {
    return await work(actingAs(deps, { kind: 'command', name: 'Command line' }))
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

type OwnedResource = 'agent' | 'API key' | 'endpoint' | 'delivery' | 'mailbox' | 'widget' | 'bot'

/**
 * Finds the organization of something by its id. Names and email addresses are unique within an organization only, so
 * they need `org`.
 */
export function withOwner<T>(
  what: OwnedResource,
  { named, org }: { named: string; org?: string | undefined },
  work: (deps: Deps, orgId: string) => Promise<T>,
): Promise<T> {
  if (org !== undefined) return withOrganization(org, (deps, { id }) => work(deps, id))
  if (!/^[a-z]{3}_/.test(named)) {
    const more = what === 'agent' || what === 'API key' ? ', or add --org' : ''
    throw new UsageError(`"${named}" isn't an id. Use the id of the ${what}${more}.`)
  }
  return withDeps(async (deps) => work(deps, await requireOwner(deps, what, named)))
}

/** The public URL, or the address of the running server. */
export function serverUrl({ publicUrl, dataFolder, host, port }: Config): string {
  return publicUrl ?? announcedUrl(dataFolder) ?? `http://${host}:${port}`
}

export function requireData({ databaseUrl, dataFolder }: Config): void {
  if (databaseUrl || existsSync(join(dataFolder, DATABASE_FILE))) return
  throw new StartError(
    `There is no Bellhop data in ${resolve(dataFolder)}. Set BELLHOP_DATA to the server's folder, or start with: bellhop setup`,
  )
}

async function requireOrganization(deps: Deps, org: string): Promise<Organization> {
  const { databaseUrl, dataFolder } = deps.config
  const place = databaseUrl ? 'the database at DATABASE_URL' : resolve(dataFolder)
  return withNotFoundMessage(findOrganization(deps, org), `There is no organization "${org}" in ${place}.`)
}

async function requireOwner(deps: Deps, what: OwnedResource, id: string): Promise<string> {
  return withNotFoundMessage(findOwner(deps, id), `There is no ${what} with this id.`)
}

/** Replaces the message of a 404. */
async function withNotFoundMessage<T>(found: Promise<T>, message: string): Promise<T> {
  try {
    return await found
  } catch (error) {
    if (error instanceof AppError && error.status === 404) throw new AppError(404, error.code, message)
    throw error
  }
}
