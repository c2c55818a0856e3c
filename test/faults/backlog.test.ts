import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { count } from 'drizzle-orm'
import { attempts } from '../../server/database/tables/webhooks.ts'
import { writeBacklog } from '../support/backlog.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const BACKLOG = 100_000
const ENDPOINTS = 50
/** By then, and long before the end, every endpoint has had its turn. Each first opens its own connections. */
const MAX_SENT = 10_000
/** A few batches of the delivery loop. */
const MAX_CLAIMED = 1_000
/** Reading the whole backlog would add 38 MiB to the 19 of what is sent meanwhile. */
const MAX_GROWTH_BYTES = 40 * 2 ** 20
const MAX_TEST_MS = 60_000

test(
  'a backlog of 100,000 due deliveries starts at once and is never in memory as a whole',
  async () => {
    // Handshakes take their time on a busy machine, and here the receiver makes as many.
    await using webhooks = await openWebhooks({ settings: { BELLHOP_WEBHOOK_TIMEOUT: '60s' } })
    const { deps, orgId } = webhooks
    const receiver = await webhooks.receiver()
    for (let number = 0; number < ENDPOINTS; number++) await webhooks.endpoint(`${receiver.url}/${number}`)
    await webhooks.ticket()
    await writeBacklog(deps.config, orgId, BACKLOG, deps.clock.now())
    const before = heapBytes()
    webhooks.deliver()
    await receiver.next()
    const [claimed] = await deps.database.read.select({ total: count() }).from(attempts)
    expect(claimed?.total).toBeLessThan(MAX_CLAIMED)
    const firsts = await eventually(() => {
      const paths = receiver.requests.map(({ path }) => path)
      const endpoints = [...new Set(paths)]
      return endpoints.length === ENDPOINTS ? endpoints.map((path) => paths.indexOf(path)) : undefined
    })
    expect(Math.max(...firsts)).toBeLessThan(MAX_SENT)
    expect(heapBytes() - before).toBeLessThan(MAX_GROWTH_BYTES)
  },
  MAX_TEST_MS,
)

/** What is in use, without what the process keeps for later. */
function heapBytes(): number {
  Bun.gc(true)
  return heapStats().heapSize
}
