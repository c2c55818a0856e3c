import { describe, expect } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { testWith } from '../docs/runtimes.ts'
import { call } from '../support/bellhop.ts'
import { startCluster } from '../support/cluster/cluster.ts'
import { createNode } from '../support/cluster/nodes.ts'
import { runProgram } from '../support/program.ts'

// What holds for all servers of a database together.

const LIMIT = 300
/** Never more in this time, whenever it begins. */
const WINDOW_MS = 60_000
/** What a server may refuse too early, because another one has it. */
const LEAST = 297
const CALLERS = 12
const MAX_TEST_MS = 120_000

describe.if(engine === 'postgresql')('several servers on one PostgreSQL', () => {
  testWith(
    ['nginx'],
    'together answer as many requests of a key as its limit, and not more',
    async () => {
      await using cluster = await startCluster({
        organizations: 1,
        settings: { BELLHOP_RATE_LIMIT: String(LIMIT) },
      })
      const [first] = cluster.organizations
      const made = await first?.admin.call<{ secret: string }>('POST', '/console/keys', {
        body: { name: 'Limited', kind: 'secret' },
      })
      const headers = { authorization: `Bearer ${made?.json.secret}` }
      const admitted: number[] = []
      let refused = 0
      const startedAt = performance.now()
      const callers = Array.from({ length: CALLERS }, async (_, caller) => {
        const node = cluster.nodes[caller % cluster.nodes.length]
        // A while after the last is admitted, more would be admitted if nodes didn't know of each other.
        for (let tries = 0; tries < LIMIT / 4; tries += 1) {
          const { status } = await call('GET', `${node?.url}/v1/me`, { headers })
          if (status === 429) refused += 1
          else admitted.push(performance.now() - startedAt)
        }
      })
      await Promise.all(callers)
      expect(refused).toBeGreaterThan(0)
      expect(performance.now() - startedAt).toBeLessThan(WINDOW_MS)
      console.log(`${admitted.length} of ${admitted.length + refused} requests were answered`)
      expect(admitted.length).toBeLessThanOrEqual(LIMIT)
      expect(admitted.length).toBeGreaterThanOrEqual(LEAST)
    },
    MAX_TEST_MS,
  )

  testWith(
    ['nginx'],
    'refuse one with another secret, or with its files elsewhere, and name the setting',
    async () => {
      await using cluster = await startCluster({ organizations: 1, nodes: 1 })
      const [{ place } = { place: {} }] = cluster.nodes
      for (const [name, value] of [
        ['BELLHOP_SECRET', 'another secret than that of the other nodes'],
        ['BELLHOP_FILES', 's3://backups/elsewhere'],
        ['BELLHOP_FILES', ''],
      ] as const) {
        const other = createNode(cluster.database(), { ...place, [name]: value }, false)
        using _relay = other.relay
        const { BELLHOP_DATA } = other.place
        const { code, err } = await runProgram(
          { ...other.place, BELLHOP_DATA: `${BELLHOP_DATA}-2`, PORT: '0' },
          ['serve'],
        )
        expect(code).toBe(1)
        expect(err).toContain(name)
      }
    },
    MAX_TEST_MS,
  )
})
