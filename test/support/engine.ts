import { afterAll } from 'bun:test'
import { removeTemporaryFolders, temporaryFolder } from './folder.ts'
import { createDatabase, createEmptyDatabase } from './postgres.ts'

// Loaded before every test run (bunfig.toml). `columns.ts` chooses the engine when it is loaded, so a run has one
// engine: SQLite, or PostgreSQL where `on-postgresql.ts` started it. Never the database of whoever runs the tests.

delete process.env.DATABASE_URL
const cluster = process.env.BELLHOP_TEST_CLUSTER
// Whatever this run imports sees PostgreSQL; each test gets its own database from `freshPlace`.
if (cluster) process.env.DATABASE_URL = 'postgres://each-test-has-its-own.invalid/none'

afterAll(removeTemporaryFolders)

/** The settings of a fresh place for data, for `readConfig` or the environment of a child process. */
export async function freshPlace(): Promise<{ BELLHOP_DATA: string; DATABASE_URL?: string }> {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  return cluster ? { ...place, DATABASE_URL: await createDatabase(cluster) } : place
}

/** The same before any migration. */
export async function emptyPlace(): Promise<{ BELLHOP_DATA: string; DATABASE_URL?: string }> {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  return cluster ? { ...place, DATABASE_URL: await createEmptyDatabase(cluster) } : place
}
