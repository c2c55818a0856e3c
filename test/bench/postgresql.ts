import { rmSync } from 'node:fs'
import { removeTemporaryFolders } from '../support/folder.ts'
import { type Cluster, createDatabase, postgresPrograms, startCluster } from '../support/postgres.ts'
import { type Child, cpuOf, runChild, startProduct } from './child.ts'
import { createRequest } from './create.ts'
import { FILTERS, listsWith, spellings } from './list.ts'
import { load } from './load.ts'
import { median, pairs, type Result } from './result.ts'
import { AGENT, fillTickets, makeWorkspace, type Workspace } from './workspace.ts'

const TICKETS = 100_000
const LOAD = { connections: 8, milliseconds: 1_500, status: 200 }

/** By connections, creates each second. */
const CREATES = [
  { connections: 8, target: 1_500 },
  { connections: 64, target: 2_500 },
]
const CREATE_LOAD = { milliseconds: 3_000, status: 201 }
const DIFFERENT_REQUESTS = 5_000

/** `POST /v1/tickets`, and the first page of a list with one filter against the same on SQLite. */
export async function benchPostgresql(): Promise<Result[]> {
  const programs = postgresPrograms()
  if (!programs) throw new Error('PostgreSQL is not installed. (bun run programs)')
  const cluster = await startCluster(programs, { isDurable: true })
  // Before the others: a server that is filled fills its search index.
  const results = await creates(cluster)
  const settings = { DATABASE_URL: await createDatabase(cluster.address) }
  const onPostgres = await filledWith(TICKETS, settings)
  const onSqlite = await makeWorkspace()
  fillTickets(onSqlite, TICKETS)
  const servers = await Promise.all([
    startProduct(onPostgres.folder, settings),
    startProduct(onSqlite.folder),
  ])
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

/** In a database that nothing else is done in. */
async function creates(cluster: Cluster): Promise<Result[]> {
  const settings = { DATABASE_URL: await createDatabase(cluster.address) }
  const { folder, key } = await filledWith(0, settings)
  const server = await startProduct(folder, settings)
  const { port, pid } = server
  const requests = Array.from({ length: DIFFERENT_REQUESTS }, (_, number) => createRequest(key, number))
  const next = (number: number) => requests[number % DIFFERENT_REQUESTS] ?? new Uint8Array()
  const results: Result[] = []
  for (const { connections, target } of CREATES) {
    // Once so that its queries are planned.
    await load(port, { ...CREATE_LOAD, connections, next })
    const rounds: number[] = []
    let spent = 0
    for (let round = 0; round < 3; round += 1) {
      const before = cpuOf(pid)
      const { perSecond, requests: answered } = await load(port, { ...CREATE_LOAD, connections, next })
      rounds.push(perSecond)
      spent = (cpuOf(pid) - before) / answered
    }
    results.push({
      name: `POST a ticket on PostgreSQL, ${connections} connections`,
      measured: median(rounds),
      target,
      unit: 'per second',
      wanted: 'at least',
      detail: `${spent.toFixed(0)} µs of processor, without PostgreSQL's`,
    })
  }
  await server.stop()
  rmSync(folder, { recursive: true })
  return results
}
