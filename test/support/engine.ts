import { afterAll } from 'bun:test'
import { removeTemporaryFolders, temporaryFolder } from './folder.ts'
import { type Cluster, postgresPrograms, startCluster } from './postgres.ts'

// Loaded before every test run (bunfig.toml). `columns.ts` chooses the engine when it is loaded, so a run has one
// engine: SQLite, or PostgreSQL with BELLHOP_TEST_ENGINE=postgresql. Never the database of whoever runs the tests.

delete process.env.DATABASE_URL
const cluster = process.env.BELLHOP_TEST_ENGINE === 'postgresql' ? await requireCluster() : undefined

afterAll(async () => {
  await cluster?.stop()
  removeTemporaryFolders()
})

/** The settings of a fresh place for data, for `readConfig` or the environment of a child process. */
export async function freshPlace(): Promise<{ BELLHOP_DATA: string; DATABASE_URL?: string }> {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  return cluster ? { ...place, DATABASE_URL: await cluster.createDatabase() } : place
}

/** The same before any migration. */
export async function emptyPlace(): Promise<{ BELLHOP_DATA: string; DATABASE_URL?: string }> {
  const place = { BELLHOP_DATA: temporaryFolder('data') }
  return cluster ? { ...place, DATABASE_URL: await cluster.createEmptyDatabase() } : place
}

async function requireCluster(): Promise<Cluster> {
  // Whatever this run imports sees PostgreSQL; each test gets its own database from `freshPlace`.
  process.env.DATABASE_URL = 'postgres://each-test-has-its-own.invalid/none'
  const programs = postgresPrograms()
  if (programs) return startCluster(programs)
  console.warn('PostgreSQL is not installed: the suite ran on SQLite only. (apt-get install postgresql)')
  process.exit(process.env.CI ? 1 : 0)
}
