import { eventually } from '../webhooks.ts'
import type { TestCluster } from './cluster.ts'
import { startMirrored } from './mirrored.ts'
import { type OpenPage, openPage } from './pages.ts'
import { expectDelivered, expectPagesWhole, expectStoredOnce } from './whole.ts'
import { startWriters, type Writers } from './writers.ts'

const WRITERS = Number(process.env.CLUSTER_WRITERS ?? 24)
const PAUSE_MS = Number(process.env.CLUSTER_PAUSE_MS ?? 50)
/** Of each organization. More than 200 in all need `BUN_CONFIG_MAX_HTTP_REQUESTS`. */
const PAGES = Number(process.env.CLUSTER_PAGES ?? 3)
const SEED = Number(process.env.MIRROR_SEED ?? Date.now() % 1_000_000)
const MAX_PROGRESS_MS = 90_000
/** How many attempts of webhooks may be in progress or have an unstored result when something happens to a node. */
const IN_FLIGHT = 8 + 128

/** Everything that uses a cluster at once. */
export interface Load extends AsyncDisposable {
  writers: Writers
  pages: OpenPage[]
  /** Until so many more requests were acknowledged. */
  progress(requests: number): Promise<void>
  /**
   * Ends it, and checks that everything that was acknowledged is stored, shown, delivered and mirrored as often as it may be.
   * `faults` is how often something happened to a node. Says what was measured.
   */
  expectWhole(name: string, faults: number): Promise<void>
}

export async function startLoad(cluster: TestCluster): Promise<Load> {
  const mirrored = cluster.channels && (await startMirrored(cluster, SEED))
  const { url, organizations } = cluster
  const pages = organizations.flatMap(({ admin }) =>
    Array.from({ length: PAGES }, () => openPage(url, admin)),
  )
  const writers = startWriters(url, organizations, { count: WRITERS, pauseMs: PAUSE_MS })
  const { acknowledged, failed, latencies } = writers
  const load: Load = {
    writers,
    pages,
    async progress(requests) {
      const until = acknowledged.length + requests
      const giveUpAt = performance.now() + MAX_PROGRESS_MS
      while (acknowledged.length < until) {
        if (performance.now() > giveUpAt)
          throw new Error(`Nothing goes on: ${JSON.stringify(failed.slice(-3))}`)
        await Bun.sleep(50)
      }
    },
    async expectWhole(name, faults) {
      await Promise.all([writers.stop(), mirrored?.stop()])
      const stoppedAt = performance.now()
      const resets = await expectPagesWhole(cluster, pages)
      const pagesMs = performance.now() - stoppedAt
      await expectStoredOnce(cluster, writers)
      const { doubles, longestMs } = await expectDelivered(cluster, writers, IN_FLIGHT * faults)
      const mails = (await mirrored?.expectEqual(faults)) ?? 0
      const sorted = latencies.toSorted((a, b) => a - b)
      const p = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
      console.log(
        `${name}: ${writers.requests()} requests, ${failed.length} failed, p50 ${p(0.5)} ms, p95 ${p(0.95)} ms; ` +
          `pages whole after ${Math.round(pagesMs)} ms, ${resets} resets; webhooks within ${longestMs} ms, ` +
          `${doubles} doubles; ${mails} doubles of mails (seed ${SEED})`,
      )
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(pages.map((page) => page.close()))
      await mirrored?.[Symbol.asyncDispose]()
      // A test that has failed doesn't wait for answers.
      writers.stop().catch(() => {})
    },
  }
  await eventually(() => pages.every(({ position }) => position() !== undefined))
  return load
}
