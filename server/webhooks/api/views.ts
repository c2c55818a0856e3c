import type { DeliveryDetail, DeliveryRow } from '../deliveries/delivery-log.ts'
import { viewDelivery, viewDeliveryDetail } from '../deliveries/views.ts'
import type { Endpoint } from '../endpoints/endpoints.ts'
import { viewEndpoint } from '../endpoints/views.ts'

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

type WithoutNulls<Fields> = {
  [Name in keyof Fields as null extends Fields[Name] ? never : Name]: Fields[Name]
} & { [Name in keyof Fields as null extends Fields[Name] ? Name : never]?: NonNullable<Fields[Name]> }

function withoutNulls<Fields extends object>(fields: Fields): WithoutNulls<Fields> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(kept.map((entry): unknown[] => entry))
}
