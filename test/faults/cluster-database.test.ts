import { describe, expect } from 'bun:test'
import { createClient } from '../../release/clients/typescript/src/bellhop.ts'
import { engine } from '../../server/database/columns.ts'
import { testWith } from '../docs/runtimes.ts'
import { call } from '../support/bellhop.ts'
import { startCluster, type TestCluster } from '../support/cluster/cluster.ts'
import { startLoad } from '../support/cluster/load.ts'
import { startMirror } from '../support/cluster/mirrored.ts'
import { createNode } from '../support/cluster/nodes.ts'
import { openPage } from '../support/cluster/pages.ts'
import { startPgBouncer } from '../support/cluster/pgbouncer.ts'
import { startReplicatedPostgres } from '../support/cluster/replicated-postgres.ts'
import { expectDelivered, expectPagesWhole, expectStoredOnce } from '../support/cluster/whole.ts'
import { startWriters, type Writers } from '../support/cluster/writers.ts'
import { runProgram } from '../support/program.ts'
import { eventually } from '../support/webhooks.ts'

// What happens to PostgreSQL while three nodes use it. CLUSTER_AWAY_SECONDS=30 has it stopped for longer.

const AWAY_MS = Number(process.env.CLUSTER_AWAY_SECONDS ?? 6) * 1_000
const BETWEEN = 100
const WRITERS = 8
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

  testWith(
    ['nginx'],
    'begin the event log anew when it dies and its standby has not got everything: pages and mirrors begin again',
    async () => {
      await using cluster = await startCluster({ isSynchronous: false, organizations: 4 })
      const { url, organizations, postgres } = cluster
      const [first] = organizations
      if (!first) throw new Error('There is no organization.')
      const bellhop = createClient({ url, key: first.key })
      const newest = async () => (await bellhop.get('/me')).newestEvent
      await using mirror = startMirror(url, first.key)
      await using opened = new AsyncDisposableStack()
      const pages = organizations.map(({ admin }) => openPage(url, admin))
      for (const page of pages) opened.defer(page.close)
      await eventually(() => pages.every(({ position }) => position() !== undefined))

      const kept = await writeFor(cluster, 0)
      await postgres.catchUp()
      postgres.link.silence('all')
      await writeFor(cluster, 1)
      const gone = await newest()
      await eventually(async () => (await mirror.position()) === gone)
      await expectPagesWhole(cluster, pages)
      for (const { seen, passed } of pages) for (const list of [seen, passed]) list.splice(0)
      await cluster.failOver()
      // No server names the old log, whose next events would have the numbers of those that were lost.
      for (const node of cluster.nodes) {
        const own = createClient({ url: node.url, key: first.key })
        let position: string | undefined
        await eventually(async () => {
          const answer = await own.get('/me').catch(() => undefined)
          position = answer?.newestEvent
          return position !== undefined
        })
        expect(logOf(position)).not.toBe(logOf(gone))
      }
      const after = await writeFor(cluster, 2)

      const read = bellhop.get('/events', { query: { after: gone } })
      expect(await read.catch((problem) => problem)).toMatchObject({ status: 410, code: 'events_expired' })
      const { data } = await bellhop.get('/events', { query: { after: await newest() } })
      expect(data).toEqual([])
      const writers = { acknowledged: [...kept, ...after] }
      await expectStoredOnce(cluster, writers)
      await mirror.expectEqual(bellhop)
      for (const { passed } of pages) {
        await eventually(() => passed.length > 0)
        // It reads everything up to there, whatever it has seen.
        const [reset] = passed
        if (reset) reset[0] = 0
      }
      await expectPagesWhole(cluster, pages)
      await expectDelivered(cluster, writers, Number.POSITIVE_INFINITY)
    },
    MAX_TEST_MS,
  )
})

function logOf(position = ''): string | undefined {
  return position.split('.')[0]
}

/** Waits until some requests were acknowledged and none is left. Returns what was. `turn` makes the words differ. */
async function writeFor({ url, organizations }: TestCluster, turn: number): Promise<Writers['acknowledged']> {
  const writers = startWriters(url, organizations, { count: WRITERS, pauseMs: 50, first: turn * WRITERS })
  await eventually(() => writers.acknowledged.length >= BETWEEN)
  await writers.stop()
  return writers.acknowledged
}

describe.if(engine === 'postgresql')('PgBouncer between a server and PostgreSQL', () => {
  testWith(
    ['pgbouncer'],
    'is fine in session mode, and refused in transaction and statement mode, where no notification arrives',
    async () => {
      await using postgres = await startReplicatedPostgres({ isSynchronous: false })
      const settings = { BELLHOP_SECRET: 'the same secret on every node of the cluster' }
      await using sessions = await startPgBouncer(postgres.primary.address, 'session')
      const pooled = createNode(sessions.url, settings, false)
      using _relay = pooled.relay
      await pooled.start()
      await eventually(async () => (await call('GET', `${pooled.url}/health/ready`)).status === 200)
      expect(await pooled.stop()).toBe(0)

      for (const mode of ['transaction', 'statement'] as const) {
        await using others = await startPgBouncer(postgres.primary.address, mode)
        const refused = createNode(others.url, settings, false)
        using _other = refused.relay
        const { code, err } = await runProgram(refused.place, ['serve'])
        expect(code, mode).toBe(1)
        expect(err, mode).toContain('use its session mode')
      }
    },
    MAX_TEST_MS,
  )
})
