import { join } from 'node:path'
import { temporaryFolder } from '../../support/folder.ts'
import { type Cluster, createDatabase } from '../../support/postgres.ts'
import { type RunningServer, startProgram } from '../../support/program.ts'
import type { S3Server } from '../../support/s3-server.ts'
import { runChild } from '../child.ts'
import { createRequest } from '../create.ts'

const ORGANIZATIONS = 12
/** Of the first organization: as `postgresTicketsSql` makes them. */
export const TICKETS = 2_000
const DIFFERENT_REQUESTS = 6_000

/** One of the organizations. */
export interface Tenant {
  /** Of a secret key. */
  key: string
  /** Of an administrator. */
  cookie: string
}

/** Servers that share a database of their own. */
export interface BenchNodes {
  nodes: { url: string; port: number; pid: number }[]
  database: string
  /** The first one has tickets. */
  tenants: [Tenant, ...Tenant[]]
  /** Creates of tickets in the organizations in turn. */
  nextCreate(number: number): Uint8Array
  stop(): Promise<void>
}

export async function startNodes(
  { postgres, s3 }: { postgres: Cluster; s3: S3Server },
  howMany: number,
): Promise<BenchNodes> {
  const database = await createDatabase(postgres.address)
  const settings = {
    DATABASE_URL: database,
    BELLHOP_SECRET: 'the same secret on every node of the bench',
    BELLHOP_LOG: 'error',
    ...s3.filesSettings(),
  }
  const folder = temporaryFolder('bench')
  const placeOf = (name: string) => ({ ...settings, BELLHOP_DATA: join(folder, name) })
  const filling = [String(ORGANIZATIONS), String(TICKETS)]
  const tenants: BenchNodes['tenants'] = JSON.parse(
    await runChild('test/bench/cluster/fill-organizations.ts', filling, placeOf('filling')),
  )
  const servers: RunningServer[] = []
  for (let number = 0; number < howMany; number += 1) {
    servers.push(await startProgram(placeOf(`node-${number}`)))
  }
  const requests = Array.from({ length: DIFFERENT_REQUESTS }, (_, number) =>
    createRequest((tenants[number % tenants.length] ?? tenants[0]).key, number),
  )
  return {
    nodes: servers.map(({ url, pid }) => ({ url, pid, port: Number(new URL(url).port) })),
    database,
    tenants,
    nextCreate: (number) => requests[number % DIFFERENT_REQUESTS] ?? new Uint8Array(),
    async stop() {
      await Promise.all(servers.map((server) => server.end('SIGTERM')))
    },
  }
}
