import { isoTime, isoTimeOrNull } from '../../dates.ts'
import type { DeliveryDetail, DeliveryRow } from '../deliveries/delivery-log.ts'
import type { ResendJob } from '../deliveries/resend.ts'
import { viewDelivery, viewDeliveryDetail } from '../deliveries/views.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'
import { viewEndpoint } from '../endpoints/views.ts'
import { checkedUntil } from './replay.ts'

/** An endpoint as `/v1` shows it: what is null elsewhere is absent. */
export function viewV1Endpoint(endpoint: Endpoint) {
  const { health, ...view } = viewEndpoint(endpoint)
  return { ...withoutNulls(view), health: withoutNulls(health) }
}

export function viewV1Delivery(delivery: DeliveryRow) {
  return withoutNulls(viewDelivery(delivery))
}

/** With its attempts, and with its body only for who may read what it says. */
export function viewV1DeliveryDetail(delivery: DeliveryDetail, mayReadBody: boolean) {
  const { history, body, ...view } = viewDeliveryDetail(delivery)
  return {
    ...withoutNulls(view),
    ...(mayReadBody && body !== null && { body }),
    history: history.map((attempt) => withoutNulls(attempt)),
  }
}

export function viewReplay(job: ResendJob) {
  const [first, last] = [job.afterEvent ?? 0, job.untilEvent ?? 0]
  return withoutNulls({
    id: job.id,
    endpointId: job.endpointId,
    /** A replay after a position has none. */
    since: job.since === 0 ? null : isoTime(job.since),
    until: isoTime(job.until),
    onlyMissing: job.kind === 'replay_missing',
    checked: (job.finishedAt === null ? checkedUntil(job) : last) - first,
    total: last - first,
    queued: job.resent,
    createdAt: isoTime(job.createdAt),
    finishedAt: isoTimeOrNull(job.finishedAt),
  })
}

type WithoutNulls<Fields> = {
  [Name in keyof Fields as null extends Fields[Name] ? never : Name]: Fields[Name]
} & { [Name in keyof Fields as null extends Fields[Name] ? Name : never]?: NonNullable<Fields[Name]> }

function withoutNulls<Fields extends object>(fields: Fields): WithoutNulls<Fields> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(kept.map((entry): unknown[] => entry))
}
