import type { Clock } from '../../server/clock.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import { type Deps, openDeps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { type Delivering, startDelivering } from '../../server/webhooks/deliver.ts'
import {
  type DeliveryDetail,
  type DeliveryFilter,
  type DeliveryRow,
  listDeliveries,
  readDelivery,
} from '../../server/webhooks/delivery-log.ts'
import type { Resolve } from '../../server/webhooks/dial.ts'
import { createEndpoint, type NewEndpoint } from '../../server/webhooks/endpoints.ts'
import { makeCertificates } from './certificates.ts'
import { freshPlace } from './engine.ts'

const LONGEST_WAIT_MS = 10_000
const LOOK_EVERY_MS = 2

/** The webhook half of Bellhop on a database of its own: verbs, the log, and a delivery loop that a test starts. */
export interface Webhooks {
  deps: Deps
  orgId: string
  /** The log, a JSON text a line. */
  logLines: string[]
  /** Starts the delivery loop; it ends with `stop`. */
  deliver(resolve?: Resolve): Delivering
  endpoint(url: string, events?: string[]): Promise<NewEndpoint>
  /** A new ticket: one `ticket.created` and one `message.sent`. Answers its id. */
  ticket(subject?: string): Promise<string>
  /** Newest first. */
  list(filter?: DeliveryFilter): Promise<DeliveryRow[]>
  read(id: string): Promise<DeliveryDetail>
  stop(): Promise<void>
}

export async function openWebhooks(
  given: { clock?: Clock; settings?: Record<string, string> } = {},
): Promise<Webhooks> {
  const place = await freshPlace()
  const clock = given.clock ?? systemClock
  const logLines: string[] = []
  const log = createLog('debug', false, (line) => logLines.push(line), clock.now)
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', ...place, ...given.settings }
  const { ca } = await makeCertificates()
  const deps = await openDeps({ ...readConfig(settings), webhookCa: ca }, { clock, log })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const loops: Delivering[] = []
  return {
    deps,
    orgId,
    logLines,
    deliver(resolve) {
      const loop = startDelivering(deps, resolve ? { resolve } : {})
      loops.push(loop)
      return loop
    },
    endpoint: (url, events = ['ticket.created']) => createEndpoint(deps, orgId, { url, events }),
    async ticket(subject = 'Missing invoice') {
      const input = { subject, customer: { name: 'Ana', email: 'ana@example.com' }, message: 'Grüße 🛎️' }
      const { id } = await createTicket(deps, orgId, input)
      return id
    },
    list: async (filter) => (await listDeliveries(deps, orgId, { limit: 100, ...filter })).deliveries,
    read: (id) => readDelivery(deps, orgId, id),
    async stop() {
      for (const loop of loops) await loop.stop()
      await deps.database.close()
    },
  }
}

/** Waits for what real sockets and disks do in their own time; the answer is the first that is not falsy. */
export async function eventually<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const until = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const seen = await look()
    if (seen) return seen
    if (performance.now() > until) throw new Error(`It never happened: ${look}`)
    await Bun.sleep(LOOK_EVERY_MS)
  }
}
