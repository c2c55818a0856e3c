import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gte,
  isNotNull,
  isNull,
  lt,
  ne,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Database, Reader } from '../../database/database.ts'
import type { ExpensiveRead } from '../../database/expensive-reads.ts'
import { matches } from '../../database/matches.ts'
import { events } from '../../database/tables/events.ts'
import {
  attempts,
  DELIVERY_STATES,
  type DeliveryState,
  deliveries,
  endpoints,
} from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { type Fault, invalid, notFound } from '../../errors.ts'
import { firstIdAt, isId } from '../../ids.ts'
import { requireWebhookEvent } from '../endpoints/validate.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 25
/** Deliveries examined at a time: a few milliseconds. */
const SLICE = 500
/** An id may be created up to this long after the event's time. */
const ID_DELAY_MS = 60_000

export interface DeliveryFilter {
  endpointId?: string | undefined
  /** One of `WEBHOOK_EVENTS`. */
  event?: string | undefined
  /** One of `DELIVERY_STATES`. */
  state?: string | undefined
  /** Time of the event in milliseconds: `since` inclusive, `until` exclusive. */
  since?: number | undefined
  until?: number | undefined
  /** `nextCursor` of the previous page. */
  cursor?: string | undefined
  /** 25 by default, at most 100. */
  limit?: number | undefined
}

/** A line of the delivery log. */
export type DeliveryRow = Omit<typeof deliveries.$inferSelect, 'testBody'> & {
  endpoint: { url: string; offAt: number | null; deletedAt: number | null }
}
export type Attempt = typeof attempts.$inferSelect
export interface DeliveryDetail extends DeliveryRow {
  /** The body that is sent; null when the event is no longer stored. */
  body: Uint8Array | null
  /** Oldest first. */
  attempts: Attempt[]
}

/**
 * Newest first. A page may have fewer deliveries than the limit and still a `nextCursor`: filters that no index covers
 * examine a limited number of rows. Throws 400 for an unknown event, state or cursor. An unknown endpoint has no
 * deliveries.
 */
export async function listDeliveries(
  deps: Deps,
  orgId: string,
  filter: DeliveryFilter = {},
  caller: { agentId?: string; signal?: AbortSignal } = {},
): Promise<{ deliveries: DeliveryRow[]; nextCursor: string | null }> {
  const limit = Math.min(Math.max(filter.limit ?? DEFAULT_LIMIT, 1), MAX_LIMIT)
  const conditions = and(eq(deliveries.orgId, orgId), ...conditionsOf(filter))
  if (filter.state === 'held' && !(await hasEndpointOff(deps, orgId))) {
    return { deliveries: [], nextCursor: null }
  }
  if (isCovered(filter)) return pageOf(await readRows(deps.database.read, conditions, limit + 1), limit)
  return deps.expensiveReads.run(caller, (expensive) =>
    listInSlices(deps.database, { orgId, filter, conditions, limit, expensive }),
  )
}

function pageOf(rows: DeliveryRow[], limit: number) {
  const page = rows.slice(0, limit)
  return { deliveries: page, nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}

function readRows(read: Reader, conditions: SQL | undefined, limit: number): Promise<DeliveryRow[]> {
  return read
    .select(columns)
    .from(deliveries)
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .where(conditions)
    .orderBy(desc(deliveries.id))
    .limit(limit)
}

/** Whether an index finds exactly the deliveries that a filter asks for, in their order. */
function isCovered({ endpointId, event, state }: DeliveryFilter): boolean {
  if (event !== undefined || state === 'pending' || state === 'held') return false
  return endpointId === undefined || state === undefined || state === 'failed'
}

/** Examines some deliveries of the endpoint, the state, or the organization at a time. */
async function listInSlices(
  { read, background }: Database,
  {
    orgId,
    filter: { endpointId, state, ...filter },
    conditions,
    limit,
    expensive,
  }: {
    orgId: string
    filter: DeliveryFilter
    conditions: SQL | undefined
    limit: number
    expensive: ExpensiveRead
  },
): Promise<{ deliveries: DeliveryRow[]; nextCursor: string | null }> {
  const { cursor, since, until } = filter
  const along = and(
    eq(deliveries.orgId, orgId),
    endpointId === undefined ? storedState(state) : eq(deliveries.endpointId, endpointId),
  )
  const found: DeliveryRow[] = []
  let below = cursor
  for (let reader = read; ; reader = background) {
    const rest = and(along, ...conditionsOf({ since, until, cursor: below }))
    const [end] = await reader
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(rest)
      .orderBy(desc(deliveries.id))
      .limit(1)
      .offset(SLICE - 1)
    const isFrom = end && gte(deliveries.id, end.id)
    const isBelow = below === undefined ? undefined : lt(deliveries.id, below)
    const missing = limit + 1 - found.length
    found.push(...(await readRows(reader, and(conditions, isFrom, isBelow), missing)))
    if (!end || found.length > limit) return pageOf(found, limit)
    below = end.id
    await expensive.examined(SLICE)
    if (expensive.isSpent) return { deliveries: found, nextCursor: below }
  }
}

/** Whether a delivery is pending or held depends on its endpoint. */
function storedState(state: string | undefined): SQL | undefined {
  if (state === undefined) return undefined
  return state === 'pending' || state === 'held' ? sql`state = 'pending'` : isInState(requireState(state))
}

/** Without this check, a query for held deliveries would read every pending one just to find none. */
async function hasEndpointOff(deps: Deps, orgId: string): Promise<boolean> {
  const isOff = and(eq(endpoints.orgId, orgId), isNotNull(endpoints.offAt), isNull(endpoints.deletedAt))
  const found = await deps.database.read.select({ id: endpoints.id }).from(endpoints).where(isOff).limit(1)
  return found.length > 0
}

/** One delivery with its body and all of its attempts. Throws 404. */
export async function readDelivery(deps: Deps, orgId: string, id: string): Promise<DeliveryDetail> {
  if (!isId('dlv', id)) throw notFound('delivery')
  const { read } = deps.database
  const isEvent = matches(events, { orgId: deliveries.orgId, number: deliveries.eventNumber })
  const [found] = await read
    .select({ ...columns, testBody: deliveries.testBody, eventBody: events.body })
    .from(deliveries)
    .innerJoin(endpoints, eq(endpoints.id, deliveries.endpointId))
    .leftJoin(events, isEvent)
    .where(matches(deliveries, { orgId, id }))
  if (!found) throw notFound('delivery')
  const { testBody, eventBody, ...delivery } = found
  const history = await read
    .select()
    .from(attempts)
    .where(matches(attempts, { deliveryId: id, orgId }))
    .orderBy(asc(attempts.number))
  return { ...delivery, body: testBody ?? eventBody, attempts: history }
}

/** Without its attempts. Throws 404. */
export async function readDeliveryRow(read: Reader, orgId: string, id: string): Promise<DeliveryRow> {
  const [row] = await readRows(read, matches(deliveries, { orgId, id }), 1)
  if (!row) throw notFound('delivery')
  return row
}

function conditionsOf(filter: DeliveryFilter): (SQL | undefined)[] {
  const { endpointId, event, since, until, cursor } = filter
  if (cursor !== undefined && !isId('dlv', cursor)) throw invalid([unknownCursor])
  return [
    endpointId === undefined ? undefined : eq(deliveries.endpointId, endpointId),
    event === undefined
      ? undefined
      : eq(deliveries.eventType, requireWebhookEvent(event, { parameter: 'event' })),
    filter.state === undefined ? undefined : isInState(requireState(filter.state)),
    since === undefined
      ? undefined
      : and(gte(deliveries.id, firstIdAt('dlv', since)), gte(deliveries.createdAt, since)),
    until === undefined
      ? undefined
      : and(lt(deliveries.id, firstIdAt('dlv', until + ID_DELAY_MS)), lt(deliveries.createdAt, until)),
    cursor === undefined ? undefined : lt(deliveries.id, cursor),
  ]
}

/** States are literal, for the partial indexes. A test delivery is sent even if its endpoint is off. */
function isInState(state: DeliveryState): SQL | undefined {
  const isTest = eq(deliveries.eventNumber, 0)
  const isEvent = ne(deliveries.eventNumber, 0)
  switch (state) {
    case 'held':
      return and(sql`state = 'pending'`, isNull(endpoints.deletedAt), isNotNull(endpoints.offAt), isEvent)
    case 'pending':
      return and(sql`state = 'pending'`, isNull(endpoints.deletedAt), or(isNull(endpoints.offAt), isTest))
    case 'in_flight':
      return sql`state = 'in_flight'`
    case 'succeeded':
      return sql`state = 'succeeded'`
    case 'failed':
      return sql`state = 'failed'`
    case 'cancelled':
      return sql`state = 'cancelled'`
  }
}

function requireState(name: string): DeliveryState {
  const state = DELIVERY_STATES.find((one) => one === name)
  if (state) return state
  const detail = `Must be one of: ${DELIVERY_STATES.join(', ')}.`
  throw invalid([{ parameter: 'state', code: 'unknown_state', detail }])
}

const unknownCursor: Fault = {
  parameter: 'cursor',
  code: 'invalid_cursor',
  detail: 'Use the nextCursor of the previous page.',
}

const { testBody: _, ...deliveryColumns } = getTableColumns(deliveries)
const columns = {
  ...deliveryColumns,
  endpoint: { url: endpoints.url, offAt: endpoints.offAt, deletedAt: endpoints.deletedAt },
}
