import { readEvents } from '../../support/live.ts'
import { median, type Result } from '../result.ts'
import type { BenchNodes } from './bench-nodes.ts'

const CREATES = 150
/** On average. */
const PAUSE_MS = 20
const MAX_WAIT_MS = 5_000

/** From the answer to a create on one node to the event on a page that is open at another. */
export async function benchReach({ nodes: [node, other], tenants }: BenchNodes): Promise<Result[]> {
  if (!node || !other) throw new Error('Two nodes are needed.')
  const arrivedAt = new Map<string, number>()
  const closing = new AbortController()
  const streams = await Promise.all(
    tenants.map(async ({ cookie }) => {
      const url = `${other.url}/console/live?page=${crypto.randomUUID()}`
      const response = await fetch(url, { headers: { cookie }, signal: closing.signal })
      if (!response.ok) throw new Error(`A page got ${response.status}.`)
      return response
    }),
  )
  const pages = streams.map((response) =>
    readEvents(response, (block) => {
      const [id] = /tkt_\w+/.exec(block) ?? []
      if (id && !arrivedAt.has(id)) arrivedAt.set(id, performance.now())
    }),
  )
  const times: number[] = []
  const whole: number[] = []
  // The first ones compile the code and plan the queries.
  for (let number = -tenants.length; number < CREATES; number += 1) {
    const { key } = tenants[(number + tenants.length) % tenants.length] ?? tenants[0]
    const sentAt = performance.now()
    const id = await createTicket(node.url, key, number)
    const answeredAt = performance.now()
    const seenAt = await seen(id)
    if (number >= 0) {
      times.push(Math.max(0, seenAt - answeredAt))
      whole.push(seenAt - sentAt)
    }
    await Bun.sleep(Math.random() * 2 * PAUSE_MS)
  }
  closing.abort()
  await Promise.all(pages)
  const sorted = times.toSorted((a, b) => a - b)
  const p95 = (values: number[]) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN
  return [
    {
      name: 'commit on one node to the event on a page of another, p95',
      measured: p95(times),
      unit: 'ms',
      target: 60,
      wanted: 'at most',
      detail: `p50 ${median(sorted).toFixed(1)}, longest ${sorted.at(-1)?.toFixed(0)} ms; with the create p50 ${median(whole).toFixed(0)}, p95 ${p95(whole).toFixed(0)} ms`,
    },
  ]

  async function seen(id: string): Promise<number> {
    for (const giveUpAt = performance.now() + MAX_WAIT_MS; performance.now() < giveUpAt; ) {
      const at = arrivedAt.get(id)
      if (at !== undefined) return at
      await Bun.sleep(1)
    }
    throw new Error(`The page was not told of ${id}.`)
  }
}

/** Returns its id. */
export async function createTicket(url: string, key: string, number: number): Promise<string> {
  const response = await fetch(`${url}/v1/tickets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      subject: `Order ${number}`,
      message: 'Where is my order?',
      customer: { email: `ana${number}@example.com` },
    }),
  })
  const [id] = /tkt_\w+/.exec(await response.text()) ?? []
  if (!id) throw new Error(`A create got ${response.status}.`)
  return id
}
