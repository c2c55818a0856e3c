import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { attempts, endpoints } from '../../server/database/tables/webhooks.ts'
import type { Deps } from '../../server/deps.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { resendDelivery } from '../../server/webhooks/deliveries/resend.ts'
import { startRetention } from '../../server/webhooks/deliveries/retention.ts'
import { disableEndpoint, enableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { createManualClock } from '../support/clock.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

// On PostgreSQL units run concurrently. On SQLite the second waits for the first, with the same result.

const DAY = 86_400_000
/** Long enough for a unit to reach the lock that another one holds. */
const STOPPED_MS = 150
const TICKET = { subject: 'x', customer: { email: 'x@example.com' }, message: 'x' }

/** On SQLite, a unit may await only its own queries. */
function canWait({ database }: Deps): boolean {
  return database.engine === 'postgresql'
}

async function turnOf({ database }: Deps, id: string): Promise<number | null | undefined> {
  const rows = await database.read.select().from(endpoints).where(eq(endpoints.id, id))
  return rows[0]?.nextDeliveryAt
}

test('an event committed while its endpoint is being enabled is sent at once', async () => {
  await using webhooks = await openWebhooks()
  const { deps, orgId } = webhooks
  const receiver = await webhooks.receiver()
  const { endpoint } = await webhooks.endpoint(receiver.url)
  await disableEndpoint(deps, orgId, endpoint.id)
  webhooks.deliver()
  const written = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const creating = createTicket(deps, orgId, TICKET, async () => {
    written.resolve()
    if (canWait(deps)) await commit.promise
  })
  await written.promise
  const enabling = enableEndpoint(deps, orgId, endpoint.id)
  await Promise.race([enabling, Bun.sleep(STOPPED_MS)])
  await eventually(async () => (await turnOf(deps, endpoint.id)) === null)
  commit.resolve()
  await Promise.all([creating, enabling])
  await webhooks.newest('succeeded', 1)
})

test('resending an old delivery while the retention deletes it either keeps it or is refused', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const { deps, orgId } = webhooks
  const receiver = await webhooks.receiver()
  await webhooks.endpoint(receiver.url)
  const delivering = webhooks.deliver()
  await webhooks.ticket()
  const { id } = await webhooks.newest('succeeded', 1)
  await delivering.stop()
  clock.advance(91 * DAY)
  // Without details there is nothing to clear, so the first unit of the retention is the one that deletes.
  await deps.database.write(
    undefined,
    async (tx) => void (await tx.update(attempts).set({ requestHeaders: null })),
  )
  const taken = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const holding = deps.database.write(undefined, async (tx) => {
    await tx.update(attempts).set({ isBodyCut: true })
    taken.resolve()
    if (canWait(deps)) await free.promise
  })
  await taken.promise
  const retention = startRetention(deps)
  for (let slices = 0; slices < 10; slices++) {
    clock.advance(25)
    await Bun.sleep(STOPPED_MS / 10)
  }
  const resending = resendDelivery(deps, orgId, id).then(
    () => 'accepted',
    () => 'refused',
  )
  await Promise.race([resending, Bun.sleep(STOPPED_MS)])
  free.resolve()
  await holding
  const answer = await resending
  await eventually(async () => {
    clock.advance(25)
    return true
  })
  await retention.stop()
  const kept = (await webhooks.list()).map((row) => row.id)
  expect(kept).toEqual(answer === 'accepted' ? [id] : [])
})
