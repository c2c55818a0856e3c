import { readEvents } from '../live.ts'

/** An agent's page that is open. When its stream ends or is silent it connects again, and goes on where it was. */
export interface OpenPage {
  orgId: string
  /** The number of the newest event it knows of; undefined before it has connected. */
  position(): number | undefined
  /** Numbers of events in the order in which they came. */
  seen: number[]
  /** Which were passed over because the page was told to read everything again: after the first number, up to the second. */
  passed: [number, number][]
  close(): Promise<void>
}

const RETRY_MS = 100
/** Servers send something every 15 seconds. */
const MAX_SILENCE_MS = 17_000
const MAX_CONNECT_MS = 5_000
const LOOK_EVERY_MS = 1_000

export function openPage(url: string, { orgId, cookie }: { orgId: string; cookie: string }): OpenPage {
  const seen: number[] = []
  const passed: [number, number][] = []
  let position: number | undefined
  let isOver = false
  let connection = new AbortController()
  let heardAt = performance.now()

  async function follow(): Promise<void> {
    connection = new AbortController()
    heardAt = performance.now() + MAX_CONNECT_MS - MAX_SILENCE_MS
    const headers = { cookie, ...(position !== undefined && { 'last-event-id': String(position) }) }
    const response = await fetch(`${url}/console/live?page=${crypto.randomUUID()}`, {
      headers,
      signal: connection.signal,
    })
    if (response.ok) await readEvents(response, take)
    else await response.body?.cancel()
  }

  function take(block: string): void {
    heardAt = performance.now()
    const event = /^event: (.*)$/m.exec(block)?.[1]
    const id = /^id: (\d+)$/m.exec(block)?.[1]
    if (id === undefined) return
    const number = Number(id)
    if (event === 'changed') seen.push(number)
    // What it hasn't seen before the first word isn't missed.
    else if (event === 'reset' || position === undefined) passed.push([position ?? 0, number])
    position = number
  }

  const watching = setInterval(() => {
    if (performance.now() - heardAt > MAX_SILENCE_MS) connection.abort()
  }, LOOK_EVERY_MS)
  const following = (async () => {
    while (!isOver) {
      await follow().catch(() => undefined)
      if (!isOver) await Bun.sleep(RETRY_MS)
    }
  })()

  return {
    orgId,
    position: () => position,
    seen,
    passed,
    async close() {
      isOver = true
      clearInterval(watching)
      connection.abort()
      await following
    },
  }
}
