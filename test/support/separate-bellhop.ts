import { readConfig } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { type Client, call, clientWithKey, writeSettings } from './bellhop.ts'
import { PROGRAM, startProgram } from './program.ts'

/** The service in a process of its own, so that its event loop, memory, and descriptors are only its own. */
export interface SeparateBellhop extends AsyncDisposable {
  url: string
  pid: number
  /** Of this process, on the same data: what they change takes effect within a second, like a command. */
  deps: Deps
  /** Creates an organization and a client with a full-access secret key without a rate limit. */
  organization(name?: string): Promise<Client>
  /** The process ends at the signal. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

export async function startSeparateBellhop(
  settings: Record<string, string> = {},
  program = PROGRAM,
): Promise<SeparateBellhop> {
  const { freshPlace } = await import('./engine.ts')
  const place = { BELLHOP_LOG: 'error', ...(await freshPlace()), ...settings }
  await writeSettings(place.BELLHOP_DATA, place)
  const server = await startProgram(place, program)
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig(place), { log })
  return {
    url: server.url,
    pid: server.pid,
    deps,
    async organization(name = 'Acme') {
      const { id } = await createOrganization(deps, { name })
      return clientWithKey(deps, server.url, id, { rateLimit: 1_000_000 })
    },
    end: server.end,
    async [Symbol.asyncDispose]() {
      await deps.database.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

/**
 * The longest time, in milliseconds, that the server's own work held its event loop while `work` ran: the upper end of
 * the bucket in /metrics. Only processor time counts, so other programs on the machine don't. Give it a separate server:
 * in one process, the test's own work would count too.
 */
export async function longestHold({ url }: { url: string }, work: () => Promise<unknown>): Promise<number> {
  const before = await readHolds(url)
  await work()
  const last = await readHolds(url)
  let after = last
  // A hold is counted by the first sample after it.
  while (after.samples === last.samples) after = await readHolds(url)
  const ends = [...after.counts].filter(([end, count]) => count > (before.counts.get(end) ?? 0))
  return Math.max(0, ...ends.map(([end]) => end * 1000))
}

/** Samples by the upper end of their bucket in seconds. */
async function readHolds(url: string): Promise<{ samples: number; counts: Map<number, number> }> {
  const { text } = await call('GET', `${url}/metrics`)
  const counts = new Map<number, number>()
  let samples = 0
  for (const [, end, value] of text.matchAll(
    /^bellhop_event_loop_hold_seconds_bucket\{le="(.+)"\} (\d+)$/gm,
  )) {
    counts.set(end === '+Inf' ? Number.POSITIVE_INFINITY : Number(end), Number(value) - samples)
    samples = Number(value)
  }
  return { samples, counts }
}
