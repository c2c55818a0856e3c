import { expect } from 'bun:test'
import { SQL } from 'bun'
import { brokenPieces, tagsOutOfStep } from '../../database/whole.ts'
import type { ReceivedRequest } from '../receiver.ts'
import { eventually } from '../webhooks.ts'
import type { TestCluster } from './cluster.ts'
import type { OpenPage } from './pages.ts'
import type { Writers } from './writers.ts'

const NUMBERS = `select org_id from events group by org_id having max(number) - min(number) + 1 <> count(*)
  union all select id from organizations o where last_event <> (select coalesce(max(number), 0) from events e where e.org_id = o.id)`
const WORDS = `select org_id, subject as word from tickets where subject like 'word-%'
  union all select org_id, text from messages where text like 'word-%' and text not like '%-first'`
const ROWS_OF = `select id from tickets where org_id = $1 union all select id from messages where org_id = $1
  union all select ticket_id from events where org_id = $1`

/**
 * That everything that was acknowledged is stored exactly once, and that nothing is stored in part. Call it when the writers
 * have stopped.
 */
export async function expectStoredOnce(
  { database, postgres, channels, organizations: [first] }: TestCluster,
  { acknowledged }: Pick<Writers, 'acknowledged'>,
): Promise<void> {
  const place = { BELLHOP_DATA: '', DATABASE_URL: database() }
  await using client = new SQL(place.DATABASE_URL, { max: 1 })
  const rows: { org_id: string; word: string }[] = await client.unsafe(WORDS)
  const stored = new Map<string, number>()
  for (const { org_id, word } of rows) {
    const name = `${org_id} ${word}`
    stored.set(name, (stored.get(name) ?? 0) + 1)
  }
  expect(acknowledged.length).toBeGreaterThan(0)
  const names = acknowledged.map(({ orgId, word }) => `${orgId} ${word}`)
  expect(names.filter((name) => !stored.has(name))).toEqual([])
  expect([...stored].filter(([, times]) => times > 1)).toEqual([])
  expect(await client.unsafe(NUMBERS)).toHaveLength(0)
  // Where tickets are merged, split and deleted, their events are elsewhere.
  const mixed: { id: string }[] = await client.unsafe(ROWS_OF, [channels ? first?.orgId : ''])
  const isMixed = new Set<unknown>([...mixed.map(({ id }) => id), first?.orgId])
  expect((await brokenPieces(place)).filter((piece) => !isMixed.has(piece))).toEqual([])
  expect(await tagsOutOfStep(place)).toEqual([])
  expect([...postgres.primary.deadlocks(), ...postgres.standby.deadlocks()]).toEqual([])
}

/** That every page has seen each event of its organization once, in order. Returns how often they had to read everything again. */
export async function expectPagesWhole(
  { database }: TestCluster,
  pages: readonly OpenPage[],
): Promise<number> {
  await using client = new SQL(database(), { max: 1 })
  // Those of customers are not shown on their own.
  const rows: { org_id: string; number: string }[] = await client`select org_id, number from events
    where type not like 'customer.%' order by number`
  const shown = Map.groupBy(rows, ({ org_id }) => org_id)
  for (const { orgId, position, seen, passed } of pages) {
    const numbers = (shown.get(orgId) ?? []).map(({ number }) => Number(number))
    await eventually(() => (position() ?? -1) >= (numbers.at(-1) ?? 0))
    const wanted = numbers.filter((number) => !passed.some(([after, to]) => number > after && number <= to))
    expect(seen).toEqual(wanted)
  }
  return pages.reduce((sum, { passed }) => sum + passed.length - 1, 0)
}

/**
 * That the webhook of every ticket arrived, with the same bytes each time, and at most so many more than once. Returns how
 * many those were, and how long the last one took after the ticket was acknowledged, in milliseconds.
 */
export async function expectDelivered(
  { receiver }: TestCluster,
  { acknowledged }: Pick<Writers, 'acknowledged'>,
  mostDoubles: number,
): Promise<{ doubles: number; longestMs: number }> {
  const wanted = acknowledged.filter(({ kind }) => kind === 'ticket')
  const first = new Map<string, number>()
  let looked = 0
  await eventually(() => {
    for (const request of receiver.requests.slice(looked)) {
      const subject = `${request.path} ${subjectOf(request)}`
      if (!first.has(subject)) first.set(subject, request.receivedAt)
    }
    looked = receiver.requests.length
    return wanted.every(({ orgId, word }) => first.has(`/hook/${orgId} ${word}`))
  })
  const deliveries = Map.groupBy(receiver.requests, ({ headers }) => headers['webhook-id'])
  for (const [first, ...others] of deliveries.values()) {
    for (const { body } of others) expect(Buffer.compare(body, first?.body ?? body)).toBe(0)
  }
  const doubles = receiver.requests.length - deliveries.size
  expect(doubles).toBeLessThanOrEqual(mostDoubles)
  const delays = wanted.map(({ orgId, word, at }) => (first.get(`/hook/${orgId} ${word}`) ?? at) - at)
  return { doubles, longestMs: Math.max(0, ...delays) }
}

function subjectOf({ body }: ReceivedRequest): string {
  return JSON.parse(Buffer.from(body).toString()).data.ticket.subject
}
