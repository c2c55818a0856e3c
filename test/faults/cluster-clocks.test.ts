import { describe, expect } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { testWith } from '../docs/runtimes.ts'
import { startCluster, type TestCluster } from '../support/cluster/cluster.ts'
import { startLoad } from '../support/cluster/load.ts'
import { createAs } from '../support/every-channel.ts'
import { startReceiver } from '../support/receiver.ts'
import { eventually } from '../support/webhooks.ts'

// The clocks of the machines of nodes are wrong by minutes, or that of PostgreSQL is set while they work.

const OFF_MS = 300_000
const BETWEEN = 80
const RETRY_S = 5
/** What a delay is varied by, and what a busy machine takes besides. */
const MAX_LATE_MS = 1_000 + 5_000
const MAX_TEST_MS = 180_000

describe.if(engine === 'postgresql')('nothing is lost or late, and no one is signed out', () => {
  testWith(
    ['nginx', 'faketime'],
    'while one node is five minutes ahead and another is five minutes behind',
    async () => {
      await using cluster = await startCluster({ haveOwnClocks: true })
      const [ahead, behind] = cluster.nodes
      await using load = await startLoad(cluster)
      await load.progress(BETWEEN)
      ahead?.setClock(OFF_MS)
      behind?.setClock(-OFF_MS)
      await load.progress(BETWEEN)
      await load.expectWhole('clocks of nodes', 0)
      await expectSignedIn(cluster)
    },
    MAX_TEST_MS,
  )

  testWith(
    ['nginx'],
    'while the clock of PostgreSQL is set five minutes forward, and back again',
    async () => {
      await using cluster = await startCluster({
        hasChannels: true,
        settings: { BELLHOP_WEBHOOK_RETRIES: Array(20).fill(`${RETRY_S}s`).join() },
      })
      const failing = await startFailing(cluster)
      await using load = await startLoad(cluster)
      for (const offMs of [OFF_MS, 0]) {
        await load.progress(BETWEEN)
        await failing.begin()
        await cluster.postgres.primary.setClock(offMs)
        await load.progress(BETWEEN)
        const delays = await failing.delaysOfRetries()
        console.log(`${delays.length} retries after ${delays[0]} to ${delays.at(-1)} ms`)
        expect(delays[0]).toBeGreaterThanOrEqual(RETRY_S * 1_000)
        expect(delays.at(-1)).toBeLessThan(RETRY_S * 1_000 + MAX_LATE_MS)
      }
      await load.expectWhole('clock of PostgreSQL', 0)
      await failing.stop()
      await expectSignedIn(cluster)
      expect(lostPartitions(cluster)).toEqual([])
    },
    MAX_TEST_MS,
  )
})

/**
 * A receiver that every second organization also sends to, and that fails now and then. Not the first organization: its
 * tickets are also deleted, which cancels their deliveries.
 */
async function startFailing({ organizations }: TestCluster) {
  const receiver = await startReceiver()
  const attempts = new Map<string, number[]>()
  /** Endpoints that get a failure. */
  const failing = new Set<string>()
  receiver.respondWith(({ path, headers, receivedAt }) => {
    const id = headers['webhook-id'] ?? ''
    const fails = failing.delete(path)
    if (fails || attempts.has(id)) attempts.set(id, [...(attempts.get(id) ?? []), receivedAt])
    return { status: fails ? 500 : 200 }
  })
  const paths: string[] = []
  for (const { admin, orgId } of organizations.filter((_, number) => number % 2 === 1)) {
    paths.push(`/hook/${orgId}`)
    await createAs(admin, '/console/endpoints', {
      url: `${receiver.url}/${orgId}`,
      events: ['ticket.created'],
    })
  }
  return {
    stop: receiver.stop,
    /** Fails at the next attempt of each, and waits until it did for half of them. */
    async begin() {
      attempts.clear()
      for (const path of paths) failing.add(path)
      await eventually(() => failing.size <= paths.length / 2)
    },
    /** Waits until everything was sent again: how long after the failure, the shortest first. */
    async delaysOfRetries(): Promise<number[]> {
      failing.clear()
      await eventually(() => [...attempts.values()].every(({ length }) => length > 1))
      const times = [...attempts.values()]
      expect(times.filter(({ length }) => length > 2)).toEqual([])
      return times.map(([first = 0, second = 0]) => second - first).sort((a, b) => a - b)
    },
  }
}

function lostPartitions({ nodes }: TestCluster): string[] {
  return nodes.flatMap((node) => node.log().match(/^.*partitions_lost.*$/gm) ?? [])
}

async function expectSignedIn({ organizations, nodes }: TestCluster): Promise<void> {
  for (const { url } of nodes) {
    for (const { admin } of organizations.slice(0, 3)) {
      const { status } = await fetch(`${url}/console/session`, { headers: { cookie: admin.cookie } })
      expect(status).toBe(200)
    }
  }
}
