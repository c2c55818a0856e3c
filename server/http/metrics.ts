import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { type AnyElysia, Elysia } from 'elysia'
import type { Caller, KeyGuard } from '../api-keys/require-api-key.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import type { ExpensiveReads } from '../expensive-reads.ts'
import { isLoopbackHost, nameIn } from '../requests/public-address.ts'
import { type Backlog, countBacklog } from '../webhooks/deliveries/backlog.ts'
import { DELIVERY_ERRORS } from '../webhooks/deliveries/delivery-errors.ts'
import { backupMetrics } from './backup-metrics.ts'
import { watchEventLoop } from './event-loop-delay.ts'
import { createMailMetrics } from './mail-metrics.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { type Metric, PROMETHEUS_TYPE, prometheusText } from './prometheus-text.ts'
import { createRequestCounts } from './request-counts.ts'
import { telegramMetrics } from './telegram-metrics.ts'
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
  const mail = createMailMetrics(deps)
  const processMetrics = createProcessMetrics(deps)

  async function text(): Promise<string> {
    const backlog = await countBacklog(deps)
    const size = await deps.database.size()
    return prometheusText([
      ...requests.metrics(),
      attemptsMetric(attempts),
      ...backlogMetrics(backlog, deps.clock.now()),
      ...(await mail.metrics()),
      ...(await telegramMetrics(deps)),
      ...(await backupMetrics(deps)),
      ...certificateMetrics(deps),
      ...visitorMetrics(visitors()),
      ...readMetrics(deps.expensiveReads.counts()),
      largeMetric(large()),
      gauge('bellhop_database_bytes', 'Size of the database on disk.', size.database),
      gauge('bellhop_wal_bytes', 'Size of the write-ahead log on disk.', size.wal),
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
        guard.allow()({ caller, set })
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
    countSendAttempt: mail.countAttempt,
    routes,
    stop: eventLoop.stop,
  }
}

/** When the certificate of built-in HTTPS ends, as its file says now. */
function certificateMetrics({ config }: Deps): Metric[] {
  if (!config.tls || !existsSync(config.tls.cert)) return []
  const endsAt = Date.parse(new X509Certificate(readFileSync(config.tls.cert)).validTo)
  const help = 'When the certificate in BELLHOP_TLS_CERT ends, in seconds since 1970.'
  return [gauge('bellhop_certificate_end_timestamp_seconds', help, endsAt / 1000)]
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
function requireFullAccess({ isPublic, scopes, agentId }: Caller): void {
  if (!isPublic && scopes === null && agentId === undefined) return
  throw new AppError(403, 'missing_scope', 'Metrics need a secret key with full access.')
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

function attemptsMetric(attempts: Map<string, number>): Metric {
  return {
    name: 'bellhop_delivery_attempts_total',
    help: 'Webhook delivery attempts by outcome.',
    type: 'counter',
    values: [...attempts].map(([outcome, value]) => ({ labels: { outcome }, value })),
  }
}

function backlogMetrics(backlog: Backlog, now: number): Metric[] {
  const states = {
    pending: backlog.pending,
    held: backlog.held,
    in_flight: backlog.inFlight,
    failed: backlog.failed,
  }
  const ageS = backlog.oldestDueAt === null ? 0 : Math.max(0, now - backlog.oldestDueAt) / 1000
  return [
    {
      name: 'bellhop_deliveries',
      help: 'Webhook deliveries by state. Held deliveries wait for a disabled endpoint.',
      type: 'gauge',
      values: Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
    },
    gauge('bellhop_delivery_oldest_due_seconds', 'Age of the oldest delivery that is due.', ageS),
  ]
}

function visitorMetrics({ streams, messages }: { streams: number; messages: number }): Metric[] {
  return [
    gauge('bellhop_visitor_streams', 'Open event streams of visitors of the website widget.', streams),
    {
      name: 'bellhop_visitor_messages_total',
      help: 'Messages of visitors of the website widget.',
      type: 'counter',
      values: [{ value: messages }],
    },
  ]
}

function readMetrics({ running, rows, outcomes }: ReturnType<ExpensiveReads['counts']>): Metric[] {
  return [
    gauge('bellhop_searches', 'Searches and other reads of many rows that are running.', running),
    {
      name: 'bellhop_search_rows_total',
      help: 'Rows that searches and other reads of many rows examined.',
      type: 'counter',
      values: [{ value: rows }],
    },
    {
      name: 'bellhop_searches_total',
      help: 'Searches and other reads of many rows by outcome.',
      type: 'counter',
      values: Object.entries(outcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
  ]
}

function largeMetric(counts: { sending: number; waiting: number }): Metric {
  return {
    name: 'bellhop_large_responses',
    help: 'Responses that are sent in slices, and those that wait for memory to be sent.',
    type: 'gauge',
    values: Object.entries(counts).map(([state, value]) => ({ labels: { state }, value })),
  }
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] }
}
