import { infiniteQueryOptions, queryOptions } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { type DeliveryFilter, queryOf } from './filter.ts'

export type Delivery = Answer<typeof api.console.deliveries.get>['data'][number]
export type DeliveryState = Delivery['state']
export type DeliveryDetail = Answer<ReturnType<typeof api.console.deliveries>['get']>
export type Attempt = DeliveryDetail['history'][number]

const PAGE_SIZE = 50

export const deliveriesQuery = (filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', filter],
    queryFn: ({ pageParam }) =>
      ask(
        api.console.deliveries.get({
          query: { ...queryOf(filter), limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) },
        }),
      ),
    // Deliveries come and go by themselves: what was seen a minute ago is old.
    staleTime: 0,
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }: { nextCursor?: string | undefined }) => nextCursor,
  })

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: () => ask(api.console.deliveries({ id }).get()),
  })

/** Whether something will happen to it soon, so that it is worth looking again. */
export function isMoving({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'in_flight' || state === 'pending'
}

/** What came of the newest attempt, in a few words. */
export function attemptSentence(delivery: ShortDelivery): string {
  const { state, attempts, lastStatus, lastError } = delivery
  if (attempts === 0) return state === 'held' ? 'Its endpoint is off.' : 'Not tried yet.'
  if (state === 'succeeded') return `Answered ${lastStatus}.`
  return answerSentence(lastStatus, lastError) || 'On its way.'
}

/** What came back: the status in figures, what was wrong in words. */
export function answerSentence(status: number | null, error: Delivery['lastError']): string {
  if (status === null) return error?.sentence ?? ''
  if (error?.code === 'http_4xx') return `Answered ${status}: the endpoint refused it.`
  if (error?.code === 'http_5xx') return `Answered ${status}: the endpoint failed.`
  return `Answered ${status}. ${error?.sentence ?? ''}`.trim()
}

type ShortDelivery = Pick<Delivery, 'state' | 'lastStatus' | 'lastError'> & { attempts: number }
