import { Database as Connection } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { MIGRATIONS } from './migrations.ts'
import { DATABASE_FILE } from './open.ts'

/** Whether there is data that this program can open without upgrading it. The checks report anything else. */
export async function isDataCurrent(config: Pick<Config, 'dataFolder' | 'databaseUrl'>): Promise<boolean> {
  try {
    if (config.databaseUrl)
      return (await versionOfPostgres(config.databaseUrl)) === MIGRATIONS.postgresql.length
    const file = join(config.dataFolder, DATABASE_FILE)
    return existsSync(file) && versionOfFile(file) === MIGRATIONS.sqlite.length
  } catch {
    return false
  }
}

function versionOfFile(file: string): number | undefined {
  const connection = new Connection(file, { readonly: true })
  try {
    const query = connection.query<{ version: number }, []>(
      'select max(version) as version from bellhop_migrations',
    )
    return query.get()?.version
  } finally {
    connection.close()
  }
}

async function versionOfPostgres(url: string): Promise<number> {
  const { openPool } = await import('./postgres-pool.ts')
  const client = openPool(url, { max: 1, connectionTimeout: 5 })
  try {
    const [row] = await client`select max(version) as version from bellhop_migrations`
    return Number(row.version)
  } finally {
    await client.close()
  }
}
