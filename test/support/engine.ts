import { afterAll } from 'bun:test'
import { temporaryFolder } from './folder.ts'
import { createDatabase, createEmptyDatabase } from './postgres.ts'
import { endTests } from './token-leaks.ts'

// Loaded before every test run (bunfig.toml). `columns.ts` chooses the engine when it is loaded, so a run has one
// engine: SQLite, or PostgreSQL if `on-postgresql.ts` started it. Never the database in the developer's environment.

delete process.env.DATABASE_URL
const cluster = process.env.TEST_CLUSTER
// Selects PostgreSQL for all imports. Each test gets its own database from `freshPlace`.
if (cluster) process.env.DATABASE_URL = 'postgres://each-test-has-its-own.invalid/none'

// Not where pictures are taken and figures measured.
if (process.env.NODE_ENV === 'test') afterAll(endTests)

/** Settings for a new data folder and database, for `readConfig` or the environment of a child process. */
export async function freshPlace(): Promise<{ BELLHOP_DATA: string; DATABASE_URL?: string }> {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  return cluster ? { ...place, DATABASE_URL: await createDatabase(cluster) } : place
}

/** The same without any migration. */
export async function emptyPlace(): Promise<{ BELLHOP_DATA: string; DATABASE_URL?: string }> {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  return cluster ? { ...place, DATABASE_URL: await createEmptyDatabase(cluster) } : place
}
