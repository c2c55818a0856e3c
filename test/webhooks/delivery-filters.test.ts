import { afterAll, expect, test } from 'bun:test'
import { deliveries } from '../../server/database/tables/webhooks.ts'
import { firstIdAt } from '../../server/ids.ts'
import { createEndpoint, disableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'

/** More than one request examines. */
const STORED = 31_000
const ROWS_AT_ONCE = 500
const EVENTS = ['ticket.created', 'message.sent'] as const

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

interface Page {
  data: { id: string; state: string; event: string }[]
  nextCursor?: string
}

test('any combination of filters finds its deliveries, some thousands examined at a time', async () => {
  const { deps } = bellhop
  const { orgId } = await bellhop.organization()
  const admin = await signInAgent(bellhop, orgId, { role: 'admin' })
  const { endpoint } = await createEndpoint(deps, orgId, {
    url: 'https://hooks.example/',
    events: [...EVENTS],
  })
  await disableEndpoint(deps, orgId, endpoint.id)
  const start = deps.clock.now() - STORED
  const idOf = (number: number) => firstIdAt('dlv', start + number)
  for (let first = 0; first < STORED; first += ROWS_AT_ONCE) {
    await deps.database.write(undefined, async (tx) => {
      const rows = Array.from({ length: ROWS_AT_ONCE }, (_, place) => ({
        id: idOf(first + place),
        orgId,
        endpointId: endpoint.id,
        eventNumber: first + place + 1,
        eventType: EVENTS[first + place === 3 ? 0 : 1] ?? EVENTS[1],
        // 4 are cancelled, the rest succeeded.
        state: first + place < 4 ? ('cancelled' as const) : ('succeeded' as const),
        dueAt: 0,
        createdAt: start + first + place,
      }))
      await tx.insert(deliveries).values(rows)
    })
  }
  const list = async (query: string) => {
    const answer = await admin.call<Page>('GET', `/console/deliveries?${query}`)
    expect(answer.status, answer.text).toBe(200)
    return { ids: answer.json.data.map(({ id }) => id), next: answer.json.nextCursor }
  }
  const oldest = [3, 2, 1, 0].map(idOf)
  expect(await list('state=cancelled')).toEqual({ ids: oldest, next: undefined })
  expect(await list('state=cancelled&limit=3')).toMatchObject({ ids: oldest.slice(0, 3) })
  expect(await list(`state=cancelled&event=message.sent`)).toEqual({ ids: oldest.slice(1), next: undefined })
  expect((await list(`state=succeeded&event=message.sent&limit=2`)).ids).toEqual(
    [STORED - 1, STORED - 2].map(idOf),
  )
  expect((await list('state=pending')).ids).toEqual([])

  // Along the endpoint, the one that matches is the last but three.
  for (const query of [
    'event=ticket.created',
    `endpointId=${endpoint.id}&state=cancelled&event=ticket.created`,
  ]) {
    const before = deps.expensiveReads.counts().rows
    const first = await list(query)
    expect([first.ids, typeof first.next], query).toEqual([[], 'string'])
    expect(deps.expensiveReads.counts().rows - before, query).toBeLessThan(STORED)
    expect(await list(`${query}&cursor=${first.next}`), query).toEqual({ ids: [idOf(3)], next: undefined })
  }
}, 60_000)
