import { describe, expect } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { PROXIES, startProxy } from '../docs/proxies.ts'
import { testWith } from '../docs/runtimes.ts'
import { call } from '../support/bellhop.ts'
import { startCluster } from '../support/cluster/cluster.ts'
import { startLoad } from '../support/cluster/load.ts'
import { makeNextRelease, type Release, thisRelease } from '../support/cluster/next-release.ts'
import { startVisits } from '../support/cluster/visits.ts'
import { temporaryFolder } from '../support/folder.ts'
import { reservePort } from '../support/mail/ports.ts'
import { runProgram } from '../support/program.ts'
import { requireBuiltWeb } from '../support/web.ts'
import { eventually } from '../support/webhooks.ts'

// The source as it is, and a copy that is the next release. Pages come through the proxies of the guide. By hand, for longer: CLUSTER_UPGRADES=10.

/** How often all nodes are upgraded, and go back. */
const UPGRADES = Number(process.env.CLUSTER_UPGRADES ?? 1)
/** Of each proxy. */
const VISITORS = 2
const BETWEEN = 30
/** For a busy machine. */
const MAX_TEST_MS = 120_000 + UPGRADES * 180_000

describe.if(engine === 'postgresql')('an upgrade of nodes one after the other', () => {
  testWith(
    ['nginx', 'caddy'],
    'loses nothing, fails no request and misses no file of a page, on the way there and back',
    async () => {
      await requireBuiltWeb()
      const current = thisRelease()
      const next = await makeNextRelease()
      await using cluster = await startCluster({ hasChannels: true, organizations: 4 })
      await using load = await startLoad(cluster)
      const [first] = cluster.organizations
      if (!first) throw new Error('There is no organization.')
      await using stopping = new AsyncDisposableStack()
      const running = cluster.nodes.map((): Release | undefined => current)
      const upstreams = cluster.nodes.map(({ url }) => url)
      const visits = await Promise.all(
        PROXIES.map(async (proxy) => {
          const port = reservePort()
          const { stop } = await startProxy(proxy, port, upstreams)
          stopping.defer(async () => void (await stop()))
          return startVisits(`https://localhost:${port}`, first, {
            count: VISITORS,
            releases: [current, next],
            // The next release has the files of this one too.
            isServed: (release) =>
              running.includes(release) || (release === current && running.includes(next)),
          })
        }),
      )
      await load.progress(BETWEEN)

      await expectRefused(await makeNextRelease(2), current, cluster.nodes[0]?.place ?? {})
      for (let upgrade = 0; upgrade < UPGRADES; upgrade += 1) {
        for (const release of [next, current]) {
          for (const [number, node] of cluster.nodes.entries()) {
            running[number] = undefined
            expect(await node.stop()).toBe(0)
            await node.start(release.program)
            await eventually(async () => (await call('GET', `${node.url}/health/ready`)).status === 200)
            running[number] = release
            await load.progress(BETWEEN)
          }
        }
      }
      await Promise.all(visits.map(({ stop }) => stop()))
      for (const [index, { loaded, failed, missing }] of visits.entries()) {
        const { name } = PROXIES[index] ?? {}
        console.log(`${name}: files of pages by version`, ...loaded, `${missing.length} missing`)
        expect([name, failed]).toEqual([name, []])
        expect([...loaded.keys()]).toEqual([current.version, next.version])
        expect([name, missing]).toEqual([name, []])
      }
      await load.expectWhole('upgraded', 0)
      expect(load.writers.failed).toEqual([])
    },
    MAX_TEST_MS,
  )
})

/** That a program of this release doesn't start beside servers of another, and says which ones those are. */
async function expectRefused(far: Release, beside: Release, place: Record<string, string>): Promise<void> {
  const { code, err } = await runProgram(
    { ...place, PORT: '0', BELLHOP_DATA: temporaryFolder('far') },
    ['serve'],
    far.program,
  )
  expect(err).toContain(
    `Another server of this database runs Bellhop ${beside.version}, and this is ${far.version}.`,
  )
  expect(code).toBe(1)
}
