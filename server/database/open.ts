import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { Database, OnCommit } from './database.ts'
import { requireDatabaseFile } from './database-file.ts'
import { migrateSqlite } from './migrate.ts'
import { openSqlite } from './sqlite/sqlite.ts'

export const DATABASE_FILE = 'bellhop.db'

/** Opens the data folder's database, or PostgreSQL when a URL is given, and migrates it to this version. */
export async function openDatabase(
  place: { dataFolder: string; databaseUrl: string | undefined },
  context: { log: Log; now: () => number; isNode: boolean; onCommit: OnCommit },
): Promise<Database> {
  if (place.databaseUrl) {
    // Loaded only when needed.
    const { openPostgres } = await import('./postgresql/postgres.ts')
    const { migratePostgres } = await import('./postgresql/postgres-migrations.ts')
    await migratePostgres(place.databaseUrl, context.now(), undefined, () =>
      context.log.warn('migration_waits'),
    )
    return openPostgres(place.databaseUrl, {
      ...context,
      onRetry: (code, tries) => context.log.warn('unit_retried', { code, tries }),
    })
  }
  if (!existsSync(place.dataFolder)) mkdirSync(place.dataFolder, { recursive: true, mode: 0o700 })
  const file = join(place.dataFolder, DATABASE_FILE)
  requireDatabaseFile(file)
  migrateSqlite(file, context.now())
  return openSqlite(file, context.onCommit)
}
