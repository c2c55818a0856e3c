import { createId } from '../../../server/ids.ts'

/** Longer than a server needs for an answer while PostgreSQL is away, or this machine is busy. */
const MAX_ANSWER_MS = 30_000
const RETRY_MS = 100
/** Messages that each ticket gets. */
const MESSAGES = 3

/** One organization, as its customers' programs know it. */
export interface Tenant {
  orgId: string
  /** Of a secret key. */
  key: string
}

export interface Writers {
  /** What was acknowledged, as words: each is in the subject of a ticket or the text of a message. */
  acknowledged: { orgId: string; word: string; kind: 'ticket' | 'message'; at: number }[]
  /** Requests so far, those included that failed. */
  requests(): number
  /** Those that were not answered or with a fault of the server: the status, or what went wrong. */
  failed: { at: number; with: string }[]
  /** Milliseconds of each request that was acknowledged. */
  latencies: number[]
  /** Waits until every writer has the answer to its last request. */
  stop(): Promise<void>
}

/**
 * Programs that create tickets and messages without a pause longer than `pauseMs`. What isn't answered is sent again with
 * the same idempotency key or id until it is. `first` is the number of the first one: those of two calls write other words.
 */
export function startWriters(
  url: string,
  tenants: readonly Tenant[],
  { count, pauseMs, first = 0 }: { count: number; pauseMs: number; first?: number },
): Writers {
  const acknowledged: Writers['acknowledged'] = []
  const failed: Writers['failed'] = []
  const latencies: number[] = []
  let requests = 0
  let isOver = false

  async function send(method: string, path: string, key: string, body: object): Promise<{ id: string }> {
    const idempotencyKey = crypto.randomUUID()
    for (;;) {
      requests += 1
      const startedAt = performance.now()
      try {
        const answer = await fetch(`${url}/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            ...(method === 'POST' && { 'idempotency-key': idempotencyKey }),
          },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(MAX_ANSWER_MS),
        })
        const text = await answer.text()
        if (answer.ok) {
          latencies.push(performance.now() - startedAt)
          return JSON.parse(text)
        }
        if (answer.status >= 500)
          failed.push({ at: Date.now(), with: `${answer.status} ${text.slice(0, 200)}` })
        // The first one is still in progress on a node.
        else if (answer.status !== 409) throw new Refused(`${method} ${path}: ${answer.status} ${text}`)
      } catch (error) {
        if (error instanceof Refused) throw error
        failed.push({ at: Date.now(), with: String(error) })
      }
      await Bun.sleep(RETRY_MS)
    }
  }

  async function write(number: number): Promise<void> {
    const tenant = tenants[number % tenants.length]
    if (!tenant) return
    const { orgId, key } = tenant
    for (let turn = 0; !isOver; turn += 1) {
      const word = `word-${number}-${turn}`
      const customer = { email: `ana.${number}.${turn % 10}@customer.test` }
      const { id } = await send('POST', '/tickets', key, {
        subject: word,
        message: `${word}-first`,
        customer,
      })
      acknowledged.push({ orgId, word, kind: 'ticket', at: Date.now() })
      for (let message = 0; message < MESSAGES && !isOver; message += 1) {
        const text = `${word}-${message}`
        const path = `/tickets/${id}/messages`
        if (message % 2 === 0) await send('POST', path, key, { text })
        else await send('PUT', `${path}/${createId('msg', Date.now())}`, key, { text })
        acknowledged.push({ orgId, word: text, kind: 'message', at: Date.now() })
        await Bun.sleep(Math.random() * 2 * pauseMs)
      }
    }
  }

  const writing = Promise.all(Array.from({ length: count }, (_, number) => write(first + number)))
  // Reported by `stop`.
  writing.catch(() => {})
  return {
    acknowledged,
    requests: () => requests,
    failed,
    latencies,
    async stop() {
      isOver = true
      await writing
    },
  }
}

/** A request that no server should refuse. */
class Refused extends Error {}
