import { type AnyElysia, Elysia } from 'elysia'
import type { Caller, KeyGuard } from '../api-keys/require-api-key.ts'
import { systemClock } from '../clock.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { isLoopbackHost, nameIn } from '../requests/public-address.ts'
import { DELIVERY_ERRORS } from '../webhooks/deliveries/delivery-errors.ts'
import { createDataMetrics } from './data-metrics.ts'
import { watchEventLoop } from './event-loop-delay.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { byLabel, counter, gauge, type Metric, PROMETHEUS_TYPE, prometheusText } from './prometheus-text.ts'
import { createRequestCounts } from './request-counts.ts'
import type { FinishedRequest } from './watch-requests.ts'

/** Headers that show that a request came through a proxy on this machine. */
const PROXY_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
  'via',
]

export interface Metrics {
  countRequest(request: FinishedRequest): void
  /** `succeeded` or one of the delivery errors. */
  countAttempt(outcome: string): void
  /** An attempt to send a message: `sent`, or what happened to it instead. */
  countSendAttempt(outcome: string): void
  /** `GET /metrics`, for requests from this machine or with a full-access secret key. */
  routes: AnyElysia
  stop(): void
}

/** Keeps counts since the start in memory, and reads the state of the data for each request to `/metrics`. */
export function createMetrics(
  deps: Deps,
  guard: KeyGuard,
  {
    visitors,
    large,
  }: {
    visitors: () => { streams: number; messages: number }
    large: () => { sending: number; waiting: number }
  },
): Metrics {
  const requests = createRequestCounts()
  const eventLoop = watchEventLoop()
  // With all outcomes from the start: an increase from nothing isn't seen.
  const attempts = new Map<string, number>(['succeeded', ...DELIVERY_ERRORS].map((outcome) => [outcome, 0]))
  const sendAttempts = new Map<string, number>()
  const dataMetrics = createDataMetrics(deps)
  const processMetrics = createProcessMetrics(deps)

  async function text(): Promise<string> {
    const size = await deps.database.size()
    const { running, rows, outcomes } = deps.expensiveReads.counts()
    const { streams, messages } = visitors()
    return prometheusText([
      ...requests.metrics(),
      byOutcome('bellhop_delivery_attempts_total', 'Webhook delivery attempts by outcome.', attempts),
      byOutcome('bellhop_send_attempts_total', 'Attempts to send a message by outcome.', sendAttempts),
      ...(await dataMetrics()),
      gauge('bellhop_visitor_streams', 'Open event streams of visitors of the website widget.', streams),
      counter('bellhop_visitor_messages_total', 'Messages of visitors of the website widget.', messages),
      gauge('bellhop_searches', 'Searches and other reads of many rows that are running.', running),
      counter('bellhop_search_rows_total', 'Rows that searches and other reads of many rows examined.', rows),
      byOutcome(
        'bellhop_searches_total',
        'Searches and other reads of many rows by outcome.',
        Object.entries(outcomes),
      ),
      byLabel(
        'gauge',
        'bellhop_large_responses',
        'Responses that are sent in slices, and those that wait for memory to be sent.',
        { label: 'state', counts: Object.entries(large()) },
      ),
      gauge('bellhop_database_bytes', 'Size of the database on disk.', size.database),
      gauge('bellhop_wal_bytes', 'Size of the write-ahead log on disk.', size.wal),
      ...clusterMetrics(deps),
      ...eventLoop.metrics(),
      ...(await processMetrics()),
    ])
  }

  const routes = new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async ({ request, server, set }) => {
      if (!isOwnMachine(request, server?.requestIP(request)?.address)) {
        const caller = await guard.authenticate(request, server)
        requireFullAccess(caller)
        await guard.allow()({ caller, set, request })
      }
      return new Response(await text(), {
        headers: { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' },
      })
    },
    { detail: { hide: true } },
  )

  return {
    countRequest: requests.count,
    countAttempt: (outcome) => attempts.set(outcome, (attempts.get(outcome) ?? 0) + 1),
    countSendAttempt: (outcome) => sendAttempts.set(outcome, (sendAttempts.get(outcome) ?? 0) + 1),
    routes,
    stop: eventLoop.stop,
  }
}

/**
 * A direct request from this machine needs no key. The host must be this machine's loopback too: to a page on another
 * name, which its owner points here, the browser on this machine would show the metrics (DNS rebinding).
 */
function isOwnMachine({ headers }: Request, peer: string | undefined): boolean {
  const isDirect = !PROXY_HEADERS.some((name) => headers.has(name))
  return (
    isDirect && peer !== undefined && isLoopback(peer) && isLoopbackHost(nameIn(headers.get('host') ?? ''))
  )
}

/** Full access is required because the metrics cover all organizations. */
function requireFullAccess({ isPublic, scopes, kind }: Caller): void {
  if (!isPublic && scopes === null && kind !== 'agent') return
  throw new AppError(403, 'missing_scope', 'Metrics need a secret key with full access.')
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

/** On SQLite there is one server, which does everything. */
function clusterMetrics({ cluster, clock }: Deps): Metric[] {
  const { nodes, partitions } = cluster.counts()
  const offsetMs = clock.now() - systemClock.now()
  return [
    gauge('bellhop_nodes', 'Servers that share the database, as this one knows.', nodes),
    gauge(
      'bellhop_partitions_held',
      'Parts of the background work, of 32, that this server does.',
      partitions,
    ),
    gauge('bellhop_bus_connected', '1 while this server hears the others.', Number(cluster.bus.isWhole())),
    gauge(
      'bellhop_clock_offset_seconds',
      'How far the clock of the database is ahead of that of the machine.',
      offsetMs / 1000,
    ),
  ]
}

function byOutcome(name: string, help: string, counts: Iterable<[string, number]>): Metric {
  return byLabel('counter', name, help, { label: 'outcome', counts })
}
