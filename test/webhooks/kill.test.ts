import { expect, test } from 'bun:test'
import { isNull } from 'drizzle-orm'
import { deliveries } from '../../server/database/tables/webhooks.ts'
import { writeCaFile } from '../support/certificates.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'
import type { ReceivedRequest } from '../support/receiver.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

const KILLS = 12
const MAX_LIFE_MS = 80
const MAX_TEST_MS = 60_000
const SETTINGS = {
  BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
  // From the sixth time on, an interrupted attempt counts as failed, and that may happen here.
  BELLHOP_WEBHOOK_RETRIES: Array(KILLS).fill('10ms').join(),
}

test(
  'whenever the process is killed, every committed event arrives, under one id and at most once more for each kill',
  async () => {
    const place = await freshPlace()
    await using webhooks = await openWebhooks({ place, settings: SETTINGS })
    const receiver = await webhooks.receiver()
    await webhooks.endpoint(receiver.url)
    const acknowledged = new Set<string>()
    const lives = killedLives({
      program: `${import.meta.dir}/programs/deliver.ts`,
      args: [webhooks.orgId],
      env: { ...process.env, ...place, ...SETTINGS, BELLHOP_WEBHOOK_CA: await writeCaFile() },
      kills: KILLS,
      longestLifeMs: MAX_LIFE_MS,
      // A run without a ticket proves nothing.
      firstWord: 'tkt_',
    })
    for await (const [, ...ids] of lives) for (const id of ids) acknowledged.add(id)
    expect(acknowledged.size).toBeGreaterThan(0)

    webhooks.deliver()
    // In one query: what was in flight at the last kill becomes pending and then in flight again.
    const isOpen = isNull(deliveries.finishedAt)
    const open = () => webhooks.deps.database.read.select().from(deliveries).where(isOpen).limit(1)
    await eventually(async () => (await open()).length === 0)
    const copies = Map.groupBy(receiver.requests, ticketOf)
    expect(acknowledged.difference(new Set(copies.keys())).size).toBe(0)

    let interruptions = 0
    for (const requests of copies.values()) {
      const [first] = requests
      const id = first?.headers['x-service-delivery'] ?? ''
      expect(requests.every(({ headers }) => headers['x-service-delivery'] === id)).toBe(true)
      expect(requests.every(({ body }) => Buffer.from(body).equals(Buffer.from(first?.body ?? [])))).toBe(
        true,
      )
      const { state, attempts } = await webhooks.read(id)
      const interrupted = attempts.filter(({ outcome }) => outcome === 'interrupted').length
      interruptions += interrupted
      expect(state).toBe('succeeded')
      expect(requests.length).toBeLessThanOrEqual(1 + interrupted)
      expect(attempts.length).toBe(1 + interrupted)
    }
    // Otherwise no kill happened at a moment that matters.
    expect(interruptions).toBeGreaterThan(0)
  },
  MAX_TEST_MS,
)

function ticketOf({ body }: ReceivedRequest): string {
  return JSON.parse(Buffer.from(body).toString()).data.ticket.id
}
