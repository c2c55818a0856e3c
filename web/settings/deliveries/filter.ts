import { isStretch, type Stretch, startOf } from '../time-range.ts'
import type { Delivery, DeliveryState } from './delivery-data.ts'

/** Which deliveries are shown: what stands in the address of the page. */
export interface DeliveryFilter {
  endpoint?: string
  event?: Delivery['event']
  state?: DeliveryState
  /** A stretch of time that ends now; or two moments, ISO 8601. */
  time?: Stretch
  since?: string
  until?: string
}

/** In the order in which the filter offers them. */
export const STATES: DeliveryState[] = ['pending', 'in_flight', 'held', 'succeeded', 'failed', 'cancelled']
export const EVENT_NAMES: Delivery['event'][] = ['ticket.created', 'message.sent']

/** Reads the address; words that nobody knows are left out. */
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
    ...(isStretch(time) ? { time } : { ...(since && { since }), ...(until && { until }) }),
  }
}

/** The same as the server asks for it. */
export function queryOf({ endpoint, event, state, time, since, until }: DeliveryFilter) {
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
