import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { isDataCurrent } from '../database/data-version.ts'
import { announcedUrl, holderOf } from '../database/lock.ts'
import { DATABASE_FILE } from '../database/open.ts'
import { actingAs, type Deps } from '../deps.ts'
import { AppError, StartError, UsageError } from '../errors.ts'
import { requireDataFolder, SECRET_FILE } from '../machine/data-folder.ts'
import { differencesFrom } from '../machine/recorded-settings.ts'
import { openDeps } from '../open-deps.ts'
import { findOrganization, findOwner } from '../organizations/directory.ts'
import type { Organization } from '../organizations/organizations.ts'
import { verifySecretKey } from '../organizations/verify-secret-key.ts'

/**
 * Opens the data for one command and closes it afterward. Works with or without a running server. Throws `StartError`
 * when there is no data, so that a command in the wrong folder doesn't create a database: only `setup` and `import` may create
 * one. Also throws it when the running server has other settings, or the data another key.
 */
export async function withDeps<T>(
  work: (deps: Deps) => Promise<T>,
  creates?: 'with setup' | 'with import',
): Promise<T> {
  const config = readConfig()
  if (creates === 'with import') await requireKey(config)
  else if (creates) await requireSameInstallation(config)
  else await requireInstallation(config)
  requireDataFolder(config.dataFolder)
  const deps = await openDeps(config)
  try {
    // Otherwise, the command would encrypt with a key that the server doesn't have.
    await verifySecretKey(deps)
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

export type OwnedResource = 'agent' | 'API key' | 'endpoint' | 'delivery' | 'mailbox' | 'widget' | 'bot'

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

/** Throws `StartError` when there is no data here, or it is that of a server with other settings. */
export async function requireInstallation(config: Config): Promise<void> {
  await requireSameInstallation(config)
  const { databaseUrl, dataFolder } = config
  if (databaseUrl || existsSync(join(dataFolder, DATABASE_FILE))) return
  throw new StartError(
    `There is no Bellhop data in ${resolve(dataFolder)}. Set BELLHOP_DATA to the server's folder, or start with: bellhop setup`,
  )
}

async function requireSameInstallation(config: Config): Promise<void> {
  const { databaseUrl, dataFolder } = config
  const folder = resolve(dataFolder)
  const server = holderOf(dataFolder)
  const differences = server?.settings ? differencesFrom(server.settings, config) : []
  if (differences.length > 0) {
    throw new StartError(
      `The server that uses ${folder} has other settings. ${differences.join(' ')} Put them into ${join(folder, 'bellhop.env')}, or name their file with --env-file.`,
    )
  }
  await (databaseUrl ? requireDatabaseOf(folder, databaseUrl, server !== undefined) : requireNoOther(config))
  await requireKey(config)
}

/** The attachments and the key are in the folder of the server. */
async function requireDatabaseOf(folder: string, databaseUrl: string, isServed: boolean): Promise<void> {
  const { hasNodes } = await import('../cluster/membership.ts')
  if (isServed || !(await hasNodes(databaseUrl))) return
  throw new StartError(
    `The server that uses the database at DATABASE_URL has another data folder than ${folder}. Set BELLHOP_DATA as for the server.`,
  )
}

/** A key without a database belongs to an installation on PostgreSQL. */
function requireNoOther(config: Config): void {
  if (!hasKey(config.dataFolder) || existsSync(join(config.dataFolder, DATABASE_FILE))) return
  throw new StartError(
    `${resolve(config.dataFolder)} has a key, but no database. If the data is in PostgreSQL, set DATABASE_URL as for the server.`,
  )
}

/** A database that was opened before has a key. Another one would make its secrets unreadable. */
async function requireKey(config: Config): Promise<void> {
  const { databaseUrl, dataFolder, secret } = config
  if (!databaseUrl || secret !== undefined || hasKey(dataFolder) || !(await isDataCurrent(config))) return
  throw new StartError(
    `The key of the database at DATABASE_URL isn't in ${resolve(dataFolder)}. Set BELLHOP_DATA or BELLHOP_SECRET as for the server.`,
  )
}

function hasKey(folder: string): boolean {
  return existsSync(join(folder, SECRET_FILE))
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
