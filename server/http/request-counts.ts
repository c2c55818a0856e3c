import { createHistogram, type Metric } from './prometheus-text.ts'
import type { FinishedRequest } from './watch-requests.ts'

/** Upper ends of the latency buckets, in seconds. */
const BUCKETS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Any other is counted as one: a client can send whatever it likes. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

interface Latency {
  method: string
  statuses: Map<number, number>
  seconds: ReturnType<typeof createHistogram>
}

/** Counts requests in plain numbers, which become text only when metrics are read. */
export function createRequestCounts() {
  const routes = new Map<string, Map<string, Latency>>()

  function latencyOf(route: string, method: string): Latency {
    const methods = routes.get(route) ?? new Map<string, Latency>()
    routes.set(route, methods)
    const name = METHODS.has(method) ? method : 'other'
    const latency = methods.get(name) ?? {
      method: name,
      statuses: new Map(),
      seconds: createHistogram(BUCKETS_S),
    }
    methods.set(name, latency)
    return latency
  }

  return {
    count({ method, route, status, durationMs }: FinishedRequest): void {
      const latency = routes.get(route)?.get(method) ?? latencyOf(route, method)
      latency.seconds.record(durationMs / 1000)
      latency.statuses.set(status, (latency.statuses.get(status) ?? 0) + 1)
    },
    metrics(): Metric[] {
      const all = [...routes].flatMap(([route, methods]) =>
        [...methods.values()].map((latency) => ({ route, ...latency })),
      )
      return [
        {
          name: 'bellhop_http_requests_total',
          help: 'Requests handled.',
          type: 'counter',
          values: all.flatMap(({ route, method, statuses }) =>
            [...statuses].map(([status, value]) => ({
              labels: { route, method, status: String(status) },
              value,
            })),
          ),
        },
        {
          name: 'bellhop_http_request_duration_seconds',
          help: 'Time from receiving the request headers until the response is ready.',
          type: 'histogram',
          ends: BUCKETS_S,
          values: all.map(({ route, method, seconds }) => ({ labels: { route, method }, ...seconds.counts })),
        },
      ]
    },
  }
}
