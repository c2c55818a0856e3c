import { describe, expect } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { testWith } from '../docs/runtimes.ts'
import { startCluster } from '../support/cluster/cluster.ts'
import { startLoad } from '../support/cluster/load.ts'

// The clocks of the machines of nodes are wrong by minutes.

const OFF_MS = 300_000
const BETWEEN = 80
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
})

async function expectSignedIn({
  organizations,
  nodes,
}: Awaited<ReturnType<typeof startCluster>>): Promise<void> {
  for (const { url } of nodes) {
    for (const { admin } of organizations.slice(0, 3)) {
      const { status } = await fetch(`${url}/console/session`, { headers: { cookie: admin.cookie } })
      expect(status).toBe(200)
    }
  }
}
