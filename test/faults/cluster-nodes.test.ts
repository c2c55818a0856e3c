import { describe, expect } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { testWith } from '../docs/runtimes.ts'
import type { SignedInAgent } from '../support/agents.ts'
import { call } from '../support/bellhop.ts'
import { startCluster } from '../support/cluster/cluster.ts'
import { startLoad } from '../support/cluster/load.ts'
import type { ClusterNode } from '../support/cluster/nodes.ts'
import { openLive } from '../support/live.ts'
import { eventually } from '../support/webhooks.ts'

// Three nodes behind a proxy, on a PostgreSQL with a synchronous standby. Something happens to one node at a time, while
// programs, pages, and all channels use them. A network is cut by a relay of the node's own, so that the tests need no
// right to change the machine's network. By hand, for longer: CLUSTER_FAULTS=30 CLUSTER_SECONDS=60 CLUSTER_WRITERS=64.

/** How often something happens. */
const FAULTS = Number(process.env.CLUSTER_FAULTS ?? 3)
/** How long it lasts: longer than a node's lease. */
const FAULT_MS = Number(process.env.CLUSTER_SECONDS ?? 13) * 1_000
/** After a kill, requests are answered again after this time. */
const IN_FLIGHT_MS = 1_500
const BETWEEN = 100
const TICKET = { subject: 'Seen by others', message: 'Hello', customer: { email: 'ana@customer.test' } }
const MAX_TEST_MS = 120_000 + FAULTS * FAULT_MS * 4

describe.if(engine === 'postgresql')('nothing is lost or done twice', () => {
  testWith(
    ['nginx'],
    'while nodes are killed one after the other',
    async () => {
      await using cluster = await startCluster({ hasChannels: true })
      await using load = await startLoad(cluster)
      const kills: number[] = []
      for (let fault = 0; fault < FAULTS; fault += 1) {
        await load.progress(BETWEEN)
        const node = nodeOf(cluster.nodes, fault)
        kills.push(Date.now())
        await node.kill()
        // The first one stays away until others have its work. A node that comes back at once has it again.
        if (fault % cluster.nodes.length === 0) await Bun.sleep(FAULT_MS)
        await node.start()
      }
      await load.progress(BETWEEN)
      await load.expectWhole('killed', FAULTS)
      const late = load.writers.failed.filter(
        ({ at }) => !kills.some((kill) => at >= kill && at < kill + IN_FLIGHT_MS),
      )
      expect(late).toEqual([])
    },
    MAX_TEST_MS,
  )

  testWith(
    ['caddy'],
    'while a node stands still for longer than its lease, and goes on with results that are old',
    async () => {
      await using cluster = await startCluster({ hasChannels: true, balancer: 'caddy' })
      await using load = await startLoad(cluster)
      await load.progress(BETWEEN)
      const [node] = cluster.nodes
      node?.freeze()
      await Bun.sleep(FAULT_MS)
      node?.thaw()
      await load.progress(BETWEEN)
      await load.expectWhole('frozen', 1)
    },
    MAX_TEST_MS,
  )

  testWith(
    ['caddy'],
    'while the network between a node and PostgreSQL loses every packet',
    async () => {
      await using cluster = await startCluster({ hasChannels: true, balancer: 'caddy' })
      await using load = await startLoad(cluster)
      await load.progress(BETWEEN)
      const node = nodeOf(cluster.nodes, 0)
      node.relay.silence('all')
      await eventually(async () => (await readyOf(node)) === 503)
      await Bun.sleep(FAULT_MS)
      node.relay.restore()
      const restoredAt = performance.now()
      await eventually(async () => (await readyOf(node)) === 200)
      console.log(`ready ${Math.round(performance.now() - restoredAt)} ms after the network is back`)
      await load.progress(BETWEEN)
      await load.expectWhole('cut off', 1)
    },
    MAX_TEST_MS,
  )

  testWith(
    ['nginx'],
    'while a node hears nothing of the others',
    async () => {
      await using cluster = await startCluster()
      await using load = await startLoad(cluster)
      const node = nodeOf(cluster.nodes, 0)
      const { admin, key } = cluster.organizations[0] ?? {}
      if (!admin) throw new Error('There is no organization.')
      await using page = await openLive(node.url, admin)
      await page.next('hello')
      node.relay.silence('listening')
      await load.progress(BETWEEN)
      // What is shown here comes from the others.
      const other = nodeOf(cluster.nodes, 1)
      const lags: number[] = []
      for (let turn = 0; turn < 3; turn += 1) {
        const headers = { authorization: `Bearer ${key}` }
        const made = await call<{ id: string }>('POST', `${other.url}/v1/tickets`, { body: TICKET, headers })
        const madeAt = performance.now()
        await page.next('changed', ({ ticketId }) => ticketId === made.json.id)
        lags.push(Math.round(performance.now() - madeAt))
      }
      const refusedAfter = await revokedAfter(admin, other, node)
      console.log(`a page is ${lags.join(', ')} ms behind, a revoked key is refused after ${refusedAfter} ms`)
      node.relay.restore()
      await load.expectWhole('bus cut', 0)
    },
    MAX_TEST_MS,
  )

  testWith(
    ['nginx'],
    'while nodes are restarted one after the other, and no request fails',
    async () => {
      await using cluster = await startCluster({ hasChannels: true })
      await using load = await startLoad(cluster)
      for (const node of cluster.nodes) {
        await load.progress(BETWEEN)
        expect(await node.stop()).toBe(0)
        await node.start()
        await eventually(async () => (await readyOf(node)) === 200)
      }
      await load.progress(BETWEEN)
      await load.expectWhole('restarted', 0)
      expect(load.writers.failed).toEqual([])
    },
    MAX_TEST_MS,
  )
})

/** Milliseconds until a node refuses a key that was revoked at another. */
async function revokedAfter(admin: SignedInAgent, at: ClusterNode, seenBy: ClusterNode): Promise<number> {
  const made = await admin.call<{ key: { id: string }; secret: string }>('POST', '/console/keys', {
    body: { name: 'Lost', kind: 'secret' },
  })
  expect(made.status, made.text).toBe(201)
  const headers = { authorization: `Bearer ${made.json.secret}` }
  const isAccepted = async () => (await call('GET', `${seenBy.url}/v1/me`, { headers })).status === 200
  await eventually(isAccepted)
  const session = { cookie: admin.cookie, 'sec-fetch-site': 'same-origin' }
  const revoked = await call('DELETE', `${at.url}/console/keys/${made.json.key.id}`, { headers: session })
  expect(revoked.status, revoked.text).toBeLessThan(300)
  const revokedAt = performance.now()
  await eventually(async () => !(await isAccepted()))
  return Math.round(performance.now() - revokedAt)
}

function nodeOf(nodes: readonly ClusterNode[], number: number): ClusterNode {
  const node = nodes[number % nodes.length]
  if (!node) throw new Error('There is no node.')
  return node
}

/** The status of `/health/ready`. */
async function readyOf({ url }: ClusterNode): Promise<number> {
  return (await call('GET', `${url}/health/ready`)).status
}
