import { infiniteQueryOptions, queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { isTimeRange, startOf, type TimeRange } from '../time-range.ts'

export type Delivery = Answer<typeof api.console.deliveries.get>['data'][number]
export type DeliveryState = Delivery['state']
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
export const STATES: DeliveryState[] = ['pending', 'in_flight', 'held', 'succeeded', 'failed', 'cancelled']
export const EVENT_NAMES: Delivery['event'][] = ['ticket.created', 'message.sent']

export const deliveriesQuery = (filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: queryKeys.deliveryList(filter),
    queryFn: ({ pageParam }) =>
      ask(
        api.console.deliveries.get({
          query: { ...queryOf(filter), limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) },
        }),
      ),
    // Deliveries change all the time: always load them again.
    staleTime: 0,
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }: { nextCursor?: string | undefined }) => nextCursor,
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
  const word = (name: string) => (typeof search[name] === 'string' ? search[name] : undefined)
  const endpoint = word('endpoint')
  const event = EVENT_NAMES.find((one) => one === word('event'))
  const state = STATES.find((one) => one === word('state'))
  const time = word('time')
  const since = momentOf(word('since'))
  const until = momentOf(word('until'))
  return {
    ...(endpoint && { endpoint }),
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

function momentOf(text: string | undefined): string | undefined {
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined
}
