import { Database } from 'bun:sqlite'
import { type Child, startProduct } from './child.ts'
import { fillInbox, signInOften, wordNumber } from './full-inbox.ts'
import { load, rawRequest } from './load.ts'
import type { Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const TICKETS = 100_000
const LOAD = { connections: 1, milliseconds: 500, status: 200 }
const PROBE_EVERY_MS = 5
const VIEWS = 5

const LISTS = {
  'my open': 'status:open assigned:me',
  unassigned: 'status:open assigned:none',
  'all open': 'status:open',
  resolved: 'status:resolved',
  everything: '',
  'open with a tag': 'status:open tag:tag0',
  'failed sends': 'is:failed',
  spam: 'is:spam',
  'open and unread': 'status:open is:unread',
  'a filter without an index': 'status:resolved channel:email -tag:tag1',
}
const SEARCHES = {
  'a rare word': wordNumber(15_000),
  'the commonest word': 'hello',
  'a common and a rare word': `hello ${wordNumber(9_000)}`,
  'a beginning of two letters': 'ba',
  'a common beginning': 'hell',
  'a customer': 'from:c17@example.com',
  nothing: 'nowhereatall',
  'filters that exclude everything': 'hello is:unread -status:open -status:pending -status:resolved',
}

/** What agents look at all day, at 100,000 tickets: the search index made from nothing, then lists, searches and counts. */
export async function benchInbox(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  const { agentId, cookies } = await signInOften(workspace)
  fillInbox(workspace, TICKETS, agentId)
  const server = await startProduct(workspace.folder)
  const built = await indexBuilt(server, workspace)
  const ask = async (path: string) => {
    const requests = cookies.map((cookie) => rawRequest('GET', path, { cookie }))
    const next = (number: number) => requests[number % requests.length] ?? Buffer.alloc(0)
    return load(server.port, { ...LOAD, next })
  }
  const results = [...built]
  for (const [name, query] of Object.entries({ ...LISTS, ...SEARCHES })) {
    const { p50, p99 } = await ask(`/console/tickets?q=${encodeURIComponent(query)}`)
    results.push(atMost(`inbox of ${TICKETS}: ${name}`, p50, name in SEARCHES ? 25 : 10, p99))
  }
  const without = await ask('/console/counts')
  results.push(atMost('counts with 20 tags', without.p50, 2, without.p99))
  await addViews(server, cookies[0] ?? '')
  const { p50, p99 } = await ask('/console/counts')
  results.push(atMost(`counts with 20 tags and ${VIEWS} views`, p50, 2, p99))
  await server.stop()
  workspace.remove()
  return results
}

/** From the start until every ticket can be found, and how long a request waits meanwhile. */
async function indexBuilt(server: Child, workspace: Workspace): Promise<Result[]> {
  const startedAt = performance.now()
  const waits: number[] = []
  const database = new Database(workspace.file, { readonly: true })
  const left = database.query<{ left: number }, []>(
    'SELECT count(*) AS left FROM organizations LEFT JOIN search_cursors ON org_id = id WHERE org_id IS NULL OR back_at IS NOT NULL',
  )
  while (left.get()?.left !== 0) {
    const askedAt = performance.now()
    await (await fetch(`http://127.0.0.1:${server.port}/health/live`)).text()
    waits.push(performance.now() - askedAt)
    await Bun.sleep(PROBE_EVERY_MS)
  }
  const seconds = (performance.now() - startedAt) / 1000
  const sizes = database.query<{ mib: number }, []>(
    `SELECT sum(pgsize) / 1048576 AS mib FROM dbstat WHERE name LIKE 'search_index%'`,
  )
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text()
  const cpuMs = (Number(/^process_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1]) * 1000) / TICKETS
  const size = sizeOf(() => sizes.get()?.mib)
  const detail = `${seconds.toFixed(0)} s, ${cpuMs.toFixed(2)} ms of processor time each, ${size}`
  database.close()
  waits.sort((one, other) => one - other)
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0
  return [
    {
      ...atMost(
        `search index of ${TICKETS} tickets made, milliseconds each`,
        (seconds * 1000) / TICKETS,
        2,
        0,
      ),
      detail,
    },
    {
      ...atMost('a request meanwhile waits, 99 of 100', at(0.99), 20, 0),
      detail: `half ${at(0.5).toFixed(1)}, longest ${at(1).toFixed(1)} ms`,
    },
  ]
}

function sizeOf(read: () => number | undefined): string {
  try {
    return `${read()} MiB`
  } catch {
    return 'size unknown'
  }
}

async function addViews(server: Child, cookie: string): Promise<void> {
  const queries = [
    'status:open tag:tag1',
    'status:pending',
    'tag:tag3',
    'status:open assigned:none',
    'status:open -tag:tag2',
  ]
  for (const query of queries.slice(0, VIEWS)) {
    const response = await fetch(`http://127.0.0.1:${server.port}/console/views`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ name: query, query }),
    })
    if (response.status !== 201) throw new Error(await response.text())
  }
}

function atMost(name: string, measured: number, target: number, p99: number): Result {
  return {
    name,
    measured,
    target,
    unit: 'ms',
    wanted: 'at most',
    detail: `${measured.toFixed(2)} ms, 99 of 100 ${p99.toFixed(1)} ms`,
  }
}
