import { closeSync, openSync } from 'node:fs'
import { repeatEvery, systemClock } from '../clock.ts'
import type { Log } from '../log.ts'
import { descriptorLimit } from '../machine/descriptor-limit.ts'
import { createTrustCheck, networkOf } from '../requests/address.ts'
import { type Connection, openSocketTable, type SocketTable } from './socket-table.ts'

const CHECK_EVERY_MS = 250
/**
 * Each connection may hold 16 KiB of unfinished headers. Bun closes one that has sent no whole request after 12
 * seconds.
 */
const MAX_DESCRIPTORS = 16_384
/** Kept for the database, files, mail, and webhooks: this share of the limit, and at least so many. */
const RESERVED_SHARE = 1 / 8
const MIN_RESERVED = 32
/** When there are too many, connections are closed until this share of the limit is in use. */
const TARGET_SHARE = 0.75
/** The share of one address in an overload. */
const SHARE_PER_NETWORK = 1 / 16
const MIN_PER_NETWORK = 16
/** An overload is over after this long without one. */
const CALM_MS = 60_000

interface Limit {
  stop(): void
}

/**
 * Closes connections before the process runs out of file descriptors. Bun accepts every connection, and at the limit it
 * tries again without a pause, at the cost of a whole core. First go those that wait for their next request, then the
 * newest ones of the addresses that have the most, and only then the newest of all.
 *
 * Only for Linux. Elsewhere the proxy in front has to do it. Uses real time: tests move the clock of the dependencies.
 */
export function limitConnections(
  server: { port?: number; closeIdleConnections(): number },
  { log, trustProxy }: { log: Log; trustProxy: string[] },
): Limit {
  const limit = descriptorLimit()
  if (limit === undefined) return { stop() {} }
  const max = Math.min(limit - Math.max(MIN_RESERVED, Math.floor(limit * RESERVED_SHARE)), MAX_DESCRIPTORS)
  const target = Math.floor(max * TARGET_SHARE)
  const isTrusted = createTrustCheck(trustProxy)
  let sockets: SocketTable | undefined
  let overloadedUntil = Number.NEGATIVE_INFINITY

  function relieve(): void {
    const now = systemClock.monotonic()
    const idle = server.closeIdleConnections()
    sockets ??= openSocketTable()
    const connections = sockets?.connectionsTo(server.port ?? 0, MAX_DESCRIPTORS * 2) ?? []
    const chosen = chooseConnections(connections, { target, perNetwork: allowance(), isTrusted })
    for (const { descriptor } of chosen) sockets?.shutDown(descriptor)
    if (now >= overloadedUntil) {
      const closed = idle + chosen.length
      log.warn('too_many_connections', { limit: max, open: connections.length, closed })
    }
    overloadedUntil = now + CALM_MS
  }

  function allowance(): number {
    return Math.max(MIN_PER_NETWORK, Math.floor(max * SHARE_PER_NETWORK))
  }

  return repeatEvery(CHECK_EVERY_MS, systemClock, () => {
    if (lowestFreeDescriptor() > max) relieve()
  })
}

/** The connections to close so that at most `target` are left. */
function chooseConnections(
  connections: Connection[],
  {
    target,
    perNetwork,
    isTrusted,
  }: { target: number; perNetwork: number; isTrusted: (address: string) => boolean },
): Connection[] {
  const chosen = new Set<Connection>()
  const ofNetworks = Map.groupBy(connections, ({ address }) => networkOf(address))
  const largestFirst = [...ofNetworks.values()].sort((one, other) => other.length - one.length)
  let left = connections.length
  for (const ofNetwork of largestFirst) {
    // Behind a proxy, all clients have the same address.
    if (left <= target || isTrusted(ofNetwork[0]?.address ?? '')) continue
    const excess = Math.min(ofNetwork.length - perNetwork, left - target)
    for (const one of newestOf(ofNetwork).slice(0, Math.max(0, excess))) chosen.add(one)
    left = connections.length - chosen.size
  }
  const others = connections.filter((one) => !chosen.has(one))
  return [...chosen, ...newestOf(others).slice(0, Math.max(0, left - target))]
}

/** Connections that have been open for long have low numbers: a flood gets the numbers above them. */
function newestOf(connections: Connection[]): Connection[] {
  return connections.toSorted((one, other) => other.descriptor - one.descriptor)
}

/** A new descriptor gets the lowest free number, so at least as many are open. */
function lowestFreeDescriptor(): number {
  try {
    const descriptor = openSync('/dev/null', 'r')
    closeSync(descriptor)
    return descriptor
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
