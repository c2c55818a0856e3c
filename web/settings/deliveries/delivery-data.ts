import { infiniteQueryOptions, queryOptions } from '@tanstack/solid-query'
import Ban from 'lucide-solid/icons/ban'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import Clock from 'lucide-solid/icons/clock'
import SendHorizontal from 'lucide-solid/icons/send-horizontal'
import { type Answer, api, ask } from '../../api/api.ts'
import { logQuery } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import type { ShownState } from '../detail-list.tsx'
import { EVENTS } from '../endpoints/endpoint-data.ts'
import { isTimeRange, startOf, type TimeRange, wordIn } from '../filters.tsx'

export type Delivery = Answer<typeof api.console.deliveries.get>['data'][number]
type DeliveryState = Delivery['state']
export type DeliveryDetail = Answer<ReturnType<typeof api.console.deliveries>['get']>
export type Attempt = DeliveryDetail['history'][number]

const PAGE_SIZE = 50

/** The filter of the log, as in the URL of the page. */
export interface DeliveryFilter {
  endpoint?: string
  event?: Delivery['event']
  state?: DeliveryState
  /** A range that ends now, or `since` and `until`, ISO 8601. */
  time?: TimeRange
  since?: string
  until?: string
}

/** In the order of the filter. */
export const DELIVERY_STATES: Record<DeliveryState, ShownState & { hint: string }> = {
  pending: { word: 'Queued', hint: 'Waiting for the next attempt', tone: 'amber', icon: Clock },
  in_flight: { word: 'Sending', hint: 'Sending now', tone: 'accent', icon: SendHorizontal },
  held: { word: 'Held', hint: 'The endpoint is off', tone: 'grey', icon: CirclePause },
  succeeded: { word: 'Delivered', hint: 'Accepted by the endpoint', tone: 'green', icon: CircleCheck },
  failed: { word: 'Failed', hint: 'No retries left', tone: 'red', icon: CircleX },
  cancelled: { word: 'Canceled', hint: 'The endpoint was deleted', tone: 'grey', icon: Ban },
}

export const STATES: DeliveryState[] = ['pending', 'in_flight', 'held', 'succeeded', 'failed', 'cancelled']

export const deliveriesQuery = (filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: queryKeys.deliveryList(filter),
    ...logQuery((cursor) =>
      ask(
        api.console.deliveries.get({
          query: { ...queryOf(filter), limit: PAGE_SIZE, ...(cursor && { cursor }) },
        }),
      ),
    ),
  })

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.delivery(id),
    queryFn: () => ask(api.console.deliveries({ id }).get()),
  })

/** Whether its state will change soon, so that it is worth polling. */
export function isMoving({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'in_flight' || state === 'pending'
}

/** The result of the newest attempt, in a few words. */
export function attemptSentence(delivery: ShortDelivery): string {
  const { state, attempts, lastStatus, lastError } = delivery
  if (attempts === 0) return state === 'held' ? 'Endpoint is off.' : 'Not sent yet.'
  if (state === 'succeeded') return `Status ${lastStatus}.`
  return responseSentence(lastStatus, lastError) || 'Sending…'
}

/** The response: its status, and the error in words. */
export function responseSentence(status: number | null, error: Delivery['lastError']): string {
  if (status === null) return error?.sentence ?? ''
  if (error?.code === 'http_4xx') return `${status}: rejected by the endpoint.`
  if (error?.code === 'http_5xx') return `${status}: endpoint error.`
  return error ? `${status}: ${error.sentence}` : `Status ${status}.`
}

type ShortDelivery = Pick<Delivery, 'state' | 'lastStatus' | 'lastError'> & { attempts: number }

/** Reads the filter from the URL and skips unknown values. */
export function filterOf(search: Record<string, string | string[] | undefined>): DeliveryFilter {
  const { endpoint, time } = search
  const event = EVENTS.find((one) => one.event === search.event)?.event
  const state = wordIn(STATES, search.state)
  const since = momentOf(search.since)
  const until = momentOf(search.until)
  return {
    ...(typeof endpoint === 'string' && { endpoint }),
    ...(event && { event }),
    ...(state && { state }),
    ...(isTimeRange(time) ? { time } : { ...(since && { since }), ...(until && { until }) }),
  }
}

/** The filter as query parameters of the API. */
function queryOf({ endpoint, event, state, time, since, until }: DeliveryFilter) {
  const from = time ? startOf(time) : since
  return {
    ...(endpoint && { endpointId: endpoint }),
    ...(event && { event }),
    ...(state && { state }),
    ...(from && { since: from }),
    ...(until && { until }),
  }
}

function momentOf(text: unknown): string | undefined {
  return typeof text === 'string' && !Number.isNaN(Date.parse(text)) ? text : undefined
}
