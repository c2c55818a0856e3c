import { allStatements, inBackground, logStatements } from '../../support/logged-statements.ts'
import type { Result } from '../result.ts'
import type { BenchNodes } from './bench-nodes.ts'
import { createTicket } from './reach.ts'

const IDLE_MS = 6_000
const CREATES = 12
/** Longer than any loop rests while it has something to do. */
const QUIET_MS = 500

/** What two nodes ask PostgreSQL while nothing happens, and after a ticket was created on one of them. */
export async function benchStatements({ nodes, database, tenants }: BenchNodes): Promise<Result[]> {
  const readLog = await logStatements(database, 'every session')
  await Bun.sleep(QUIET_MS)
  const before = allStatements(await readLog()).length
  await Bun.sleep(IDLE_MS)
  const idle = allStatements(await readLog())
  const caused: number[] = []
  for (let number = 0; number < CREATES; number += 1) {
    const from = inBackground(await readLog()).length
    const { key } = tenants[number % tenants.length] ?? tenants[0]
    await createTicket(nodes[number % nodes.length]?.url ?? '', key, number)
    await Bun.sleep(QUIET_MS)
    caused.push(inBackground(await readLog()).length - from)
  }
  const perCreate = caused.reduce((total, one) => total + one, 0) / CREATES
  return [
    {
      name: 'statements in the background of two nodes for a created ticket',
      measured: perCreate,
      unit: 'statements',
      target: 8,
      wanted: 'at most',
      detail: `${perCreate.toFixed(1)}: ${Math.min(...caused)} to ${Math.max(...caused)}, without those that begin and end transactions`,
    },
    {
      name: 'statements each second of a node while nothing happens',
      measured: (idle.length - before) / (IDLE_MS / 1_000) / nodes.length,
      unit: 'per second',
      target: 3,
      wanted: 'at most',
      detail: `${idle.length - before} of ${nodes.length} nodes in ${IDLE_MS / 1_000} s`,
    },
  ]
}
