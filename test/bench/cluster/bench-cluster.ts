import { SQL } from 'bun'
import { removeTemporaryFolders } from '../../support/folder.ts'
import { type Cluster, postgresPrograms, startCluster } from '../../support/postgres.ts'
import { startS3 } from '../../support/s3-server.ts'
import type { Result } from '../result.ts'
import { type BenchNodes, startNodes } from './bench-nodes.ts'
import { createProcessorLimits } from './processor-limits.ts'
import { benchProcessor } from './processor-per-create.ts'
import { benchReach } from './reach.ts'
import { benchShares } from './shares.ts'
import { benchStatements } from './statements.ts'

/** By then, each server holds its part of the partitions. */
const SHARING_MS = 6_000

/** One, two and three servers that share a PostgreSQL database; what a create costs on it, and what it tells the others. */
export async function benchCluster(): Promise<Result[]> {
  const programs = postgresPrograms()
  if (!programs) throw new Error('PostgreSQL is not installed. (bun run programs)')
  // Nothing is stored there, but several servers require one.
  await using s3 = await startS3()
  if (!s3) throw new Error('moto is not installed. (bun run programs)')
  await using limits = createProcessorLimits()
  const postgres = await startCluster(programs, { isDurable: true })
  const started: BenchNodes[] = []
  try {
    for (const howMany of [1, 2, 3]) started.push(await startNodes({ postgres, s3 }, howMany))
    const [one, two, three] = started
    if (!one || !two || !three) throw new Error('No servers were started.')
    await Bun.sleep(SHARING_MS)
    const pid = await pidOf(postgres)
    const shares = await benchShares(started, pid, limits)
    await three.stop()
    const reach = await benchReach(two)
    const processor = await benchProcessor(one, pid)
    await one.stop()
    return [...shares, ...reach, ...(await benchStatements(two)), ...processor]
  } finally {
    await Promise.all(started.map((nodes) => nodes.stop()))
    await postgres.stop()
    removeTemporaryFolders()
  }
}

/** Of the process that all others of PostgreSQL are children of. */
async function pidOf({ address }: Cluster): Promise<number> {
  const client = new SQL(address, { max: 1 })
  const [{ file }] = await client`select pg_read_file('postmaster.pid') as file`
  await client.close()
  return Number.parseInt(file, 10)
}
