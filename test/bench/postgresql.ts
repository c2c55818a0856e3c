import { rmSync } from 'node:fs'
import { removeTemporaryFolders } from '../support/folder.ts'
import { createDatabase, postgresPrograms, startCluster } from '../support/postgres.ts'
import { type Child, runChild, startProduct } from './child.ts'
import { FILTERS, listsWith, spellings } from './list.ts'
import { load } from './load.ts'
import { pairs, type Result } from './result.ts'
import { AGENT, fillTickets, makeWorkspace, type Workspace } from './workspace.ts'

const TICKETS = 100_000
const LOAD = { connections: 8, milliseconds: 1_500, status: 200 }

/** The first page of a list with one filter against the same on SQLite. */
export async function benchPostgresql(): Promise<Result[]> {
  const programs = postgresPrograms()
  if (!programs) throw new Error('PostgreSQL is not installed. (bun run programs)')
  const cluster = await startCluster(programs, { isDurable: true })
  const settings = { DATABASE_URL: await createDatabase(cluster.address) }
  const onPostgres = await filledWith(TICKETS, settings)
  const onSqlite = await makeWorkspace()
  fillTickets(onSqlite, TICKETS)
  const servers = await Promise.all([
    startProduct(onPostgres.folder, settings),
    startProduct(onSqlite.folder),
  ])
  const results: Result[] = []
  for (const filter of FILTERS) {
    const run = (server: Child, key: string) => async () =>
      (await load(server.port, { ...LOAD, next: listsWith(key, spellings(`sort=created_desc&${filter}`)) }))
        .perSecond
    const [postgres, sqlite] = [run(servers[0], onPostgres.key), run(servers[1], onSqlite.key)]
    // PostgreSQL plans a query a few times on each connection before it keeps a plan.
    await postgres()
    await sqlite()
    const { ratio, one, other } = await pairs(3, postgres, sqlite)
    results.push({
      name: `list ${filter.replace(AGENT, 'an agent')}, page 1 at 100,000: PostgreSQL / SQLite`,
      measured: ratio,
      target: 0.5,
      unit: 'ratio',
      wanted: 'at least',
      detail: `${one.toFixed(0)} / ${other.toFixed(0)} per second`,
    })
  }
  await Promise.all(servers.map((server) => server.stop()))
  await cluster.stop()
  onSqlite.remove()
  rmSync(onPostgres.folder, { recursive: true })
  removeTemporaryFolders()
  return results
}

async function filledWith(
  tickets: number,
  settings: { DATABASE_URL: string },
): Promise<Pick<Workspace, 'folder' | 'key'>> {
  return JSON.parse(await runChild('test/bench/postgres-workspace.ts', [String(tickets)], settings))
}
