import { type Clock, systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import type { Attempts } from '../../server/jobs/run-attempts.ts'
import { createLog } from '../../server/log.ts'
import type { Resolve } from '../../server/network/checked-lookup.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import {
  type DeliveryDetail,
  type DeliveryFilter,
  type DeliveryRow,
  listDeliveries,
  readDelivery,
} from '../../server/webhooks/deliveries/delivery-log.ts'
import { startDelivering } from '../../server/webhooks/deliveries/delivery-loop.ts'
import { senderOf } from '../../server/webhooks/deliveries/send.ts'
import { displayedState } from '../../server/webhooks/deliveries/views.ts'
import { createEndpoint, type NewEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { makeCertificates } from './certificates.ts'
import { type Receiver, type Respond, startReceiver } from './receiver.ts'
import { recordLines } from './token-leaks.ts'

/** For a busy machine. A passing test does not wait this long. */
const MAX_WAIT_MS = 30_000
const LOOK_EVERY_MS = 2
/** A look may read the API, which allows a few hundred requests a minute, or take the processor from what is waited for. */
const MAX_PAUSE_MS = 100
const PAUSE_SHARE = 0.1

/** The webhook parts of Bellhop with their own database. A test starts the delivery loop itself. */
export interface Webhooks extends AsyncDisposable {
  deps: Deps
  orgId: string
  /** The log, one JSON object per line. */
  logLines: string[]
  /** Starts the delivery loop. It ends with `stop`. */
  deliver(resolve?: Resolve): Attempts
  /** Starts an HTTPS receiver that is stopped with the rest. */
  receiver(respond?: Respond): Promise<Receiver>
  /** For `ticket.created` by default. */
  endpoint(url: string, events?: string[]): Promise<NewEndpoint>
  /** Creates a ticket: one `ticket.created` and one `message.sent`. Returns its id. */
  ticket(subject?: string): Promise<string>
  /** Newest first. */
  list(filter?: DeliveryFilter): Promise<DeliveryRow[]>
  read(id: string): Promise<DeliveryDetail>
  /** Waits until the newest delivery has this state and number of attempts. */
  newest(state: string, attempts: number): Promise<DeliveryRow>
}

export async function openWebhooks(
  given: { clock?: Clock; settings?: Record<string, string>; place?: Record<string, string> } = {},
): Promise<Webhooks> {
  const { freshPlace } = await import('./engine.ts')
  const place = given.place ?? (await freshPlace())
  const clock = given.clock ?? systemClock
  const { lines: logLines, write } = recordLines()
  const log = createLog('debug', false, write, clock.now)
  const settings = { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', ...place, ...given.settings }
  const { ca } = await makeCertificates()
  const deps = await openDeps({ ...readConfig(settings), webhookCa: ca }, { clock, log })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const loops: Attempts[] = []
  const receivers: Receiver[] = []
  const list = async (filter?: DeliveryFilter) =>
    (await listDeliveries(deps, orgId, { limit: 100, ...filter })).deliveries
  return {
    deps,
    orgId,
    logLines,
    deliver(resolve) {
      const loop = startDelivering(deps, { sender: senderOf(deps, resolve) })
      loops.push(loop)
      return loop
    },
    async receiver(respond) {
      const receiver = await startReceiver(respond && { respond })
      receivers.push(receiver)
      return receiver
    },
    endpoint: (url, events = ['ticket.created']) => createEndpoint(deps, orgId, { url, events }),
    async ticket(subject = 'Missing invoice') {
      const input = { subject, customer: { name: 'Ana', email: 'ana@example.com' }, message: 'Grüße 🛎️' }
      const { id } = await createTicket(deps, orgId, input)
      return id
    },
    list,
    read: (id) => readDelivery(deps, orgId, id),
    newest: (state, attempts) =>
      eventually(async () => {
        const [row] = await list({ limit: 1 })
        return row && displayedState(row) === state && row.attempt === attempts ? row : undefined
      }),
    async [Symbol.asyncDispose]() {
      const stopping = loops.map((loop) => loop.stop())
      // A hanging request ends with its receiver.
      for (const receiver of receivers) await receiver.stop()
      await Promise.all(stopping)
      await deps.database.close()
    },
  }
}

/**
 * Waits for real sockets and disks, until `look` returns something truthy, and returns it. Timers that were about to be
 * set are set by then, so the caller can move the clock.
 */
export async function eventually<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const startedAt = performance.now()
  for (;;) {
    const seen = await look()
    if (seen) {
      await Bun.sleep(LOOK_EVERY_MS)
      return seen
    }
    const waited = performance.now() - startedAt
    if (waited > MAX_WAIT_MS) throw new Error(`It never happened: ${look}`)
    await Bun.sleep(Math.min(Math.max(LOOK_EVERY_MS, waited * PAUSE_SHARE), MAX_PAUSE_MS))
  }
}
