import { describe, expect } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { testWith } from '../docs/runtimes.ts'
import { call } from '../support/bellhop.ts'
import { startCluster } from '../support/cluster/cluster.ts'
import { startLoad } from '../support/cluster/load.ts'
import { createNode } from '../support/cluster/nodes.ts'
import { startPgBouncer } from '../support/cluster/pgbouncer.ts'
import { startReplicatedPostgres } from '../support/cluster/replicated-postgres.ts'
import { runProgram } from '../support/program.ts'
import { eventually } from '../support/webhooks.ts'

// What happens to PostgreSQL while three nodes use it. CLUSTER_AWAY_SECONDS=30 has it stopped for longer.

const AWAY_MS = Number(process.env.CLUSTER_AWAY_SECONDS ?? 6) * 1_000
const BETWEEN = 100
const MAX_TEST_MS = 180_000

describe.if(engine === 'postgresql')('several servers on one PostgreSQL', () => {
  testWith(
    ['nginx'],
    'stay, and work again, when it was stopped for a while',
    async () => {
      await using cluster = await startCluster({ hasChannels: true })
      await using load = await startLoad(cluster)
      await load.progress(BETWEEN)
      const pids = cluster.nodes.map(({ pid }) => pid())
      await cluster.postgres.primary.stop()
      await Bun.sleep(AWAY_MS)
      const [first] = cluster.nodes
      const ready = await call('GET', `${first?.url}/health/ready`)
      expect(ready.status).toBe(503)
      await cluster.postgres.primary.start()
      const backAt = performance.now()
      await load.progress(1)
      console.log(`works ${Math.round(performance.now() - backAt)} ms after PostgreSQL is back`)
      await load.progress(BETWEEN)
      // Every node may have had attempts whose results could not be stored.
      await load.expectWhole('stopped PostgreSQL', cluster.nodes.length)
      expect(cluster.nodes.map(({ pid }) => pid())).toEqual(pids)
    },
    MAX_TEST_MS,
  )

  testWith(
    ['nginx'],
    'lose nothing that they acknowledged when it dies and its synchronous standby takes over',
    async () => {
      await using cluster = await startCluster({ hasChannels: true })
      await using load = await startLoad(cluster)
      await load.progress(BETWEEN)
      await cluster.failOver()
      const overAt = performance.now()
      await load.progress(1)
      console.log(`works ${Math.round(performance.now() - overAt)} ms after the standby has taken over`)
      await load.progress(BETWEEN)
      await load.expectWhole('failed over', cluster.nodes.length)
    },
    MAX_TEST_MS,
  )
})

describe.if(engine === 'postgresql')('PgBouncer between a server and PostgreSQL', () => {
  testWith(
    ['pgbouncer'],
    'is fine in session mode, and refused in transaction mode, where no notification arrives',
    async () => {
      await using postgres = await startReplicatedPostgres({ isSynchronous: false, hasOwnClock: false })
      const settings = { BELLHOP_SECRET: 'the same secret on every node of the cluster' }
      await using sessions = await startPgBouncer(postgres.primary.address, 'session')
      const pooled = createNode(sessions.url, settings, false)
      using _relay = pooled.relay
      await pooled.start()
      await eventually(async () => (await call('GET', `${pooled.url}/health/ready`)).status === 200)
      expect(await pooled.stop()).toBe(0)

      await using transactions = await startPgBouncer(postgres.primary.address, 'transaction')
      const refused = createNode(transactions.url, settings, false)
      using _other = refused.relay
      const { code, err } = await runProgram(refused.place, ['serve'])
      expect(code).toBe(1)
      expect(err).toContain('use its session mode')
    },
    MAX_TEST_MS,
  )
})
