import { startProgram } from '../../support/program.ts'
import { cpuOf, cpuOfTree } from '../child.ts'
import { createRequest } from '../create.ts'
import { load } from '../load.ts'
import { median, type Result } from '../result.ts'
import { fillTickets, makeWorkspace } from '../workspace.ts'
import { type BenchNodes, TICKETS } from './bench-nodes.ts'

const LOAD = { milliseconds: 1_500, status: 201 }
/** The first of them warm both. */
const WARM_ROUNDS = 3
const ROUNDS = 5
/** What creates leave to do counts, too. */
const SETTLING_MS = 800
const DIFFERENT_REQUESTS = 5_000

/** By connections, creates each second. */
const CREATES = [
  { connections: 8, target: 1_500 },
  { connections: 64, target: 2_500 },
]

/** What a create takes of the processor on PostgreSQL, together with the database's part, beside SQLite's. */
export async function benchProcessor(
  { nodes: [node], tenants: [{ key }] }: BenchNodes,
  postgresPid: number,
): Promise<Result[]> {
  if (!node) throw new Error('A node is needed.')
  const workspace = await makeWorkspace()
  fillTickets(workspace, TICKETS)
  const sqlite = await startProgram({ BELLHOP_DATA: workspace.folder, BELLHOP_LOG: 'error' })
  const sqlitePort = Number(new URL(sqlite.url).port)
  const [ofPostgres, ofSqlite] = [requestsWith(key), requestsWith(workspace.key)]
  const onPostgres = (connections: number) =>
    run({ port: node.port, next: ofPostgres, connections }, () => [cpuOf(node.pid), cpuOfTree(postgresPid)])
  const onSqlite = (connections: number) =>
    run({ port: sqlitePort, next: ofSqlite, connections }, () => [cpuOf(sqlite.pid)])
  const results: Result[] = []
  for (const { connections, target } of CREATES) {
    const rounds: { postgres: Measured; sqlite: Measured }[] = []
    for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
      const one = { postgres: await onPostgres(connections), sqlite: await onSqlite(connections) }
      if (round >= WARM_ROUNDS) rounds.push(one)
    }
    const spent = (part: number) => median(rounds.map(({ postgres }) => postgres.spent[part] ?? 0)).toFixed(0)
    const spentOnSqlite = median(rounds.map(({ sqlite }) => sum(sqlite.spent))).toFixed(0)
    results.push(
      {
        name: `processor of a POST of a ticket, ${connections} connections: Bellhop and PostgreSQL / SQLite`,
        measured: median(rounds.map(({ postgres, sqlite }) => sum(postgres.spent) / sum(sqlite.spent))),
        unit: 'ratio',
        target: 2,
        wanted: 'at most',
        detail: `${spent(0)} + ${spent(1)} / ${spentOnSqlite} µs`,
      },
      {
        name: `POST a ticket on PostgreSQL, ${connections} connections`,
        measured: median(rounds.map(({ postgres }) => postgres.perSecond)),
        unit: 'per second',
        target,
        wanted: 'at least',
        detail: `SQLite ${median(rounds.map(({ sqlite }) => sqlite.perSecond)).toFixed(0)} per second`,
      },
    )
  }
  await sqlite.end('SIGTERM')
  workspace.remove()
  return results
}

interface Measured {
  perSecond: number
  /** Microseconds of each create. */
  spent: number[]
}

function requestsWith(key: string): (number: number) => Uint8Array {
  const requests = Array.from({ length: DIFFERENT_REQUESTS }, (_, number) => createRequest(key, number))
  return (number) => requests[number % DIFFERENT_REQUESTS] ?? new Uint8Array()
}

async function run(
  { port, ...sent }: { port: number; connections: number; next: (number: number) => Uint8Array },
  usedSoFar: () => number[],
): Promise<Measured> {
  const before = usedSoFar()
  const { perSecond, requests } = await load(port, { ...LOAD, ...sent })
  await Bun.sleep(SETTLING_MS)
  return { perSecond, spent: usedSoFar().map((used, part) => (used - (before[part] ?? 0)) / requests) }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
