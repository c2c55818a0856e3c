import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { recordAudit } from '../../audit/audit.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { command, integer, statement, text, value } from '../../database/statement.ts'
import { deliveries, endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { recordWorkspaceChange } from '../../events/events.ts'
import { scheduleEndpoint } from '../../events/outbox.ts'
import { isId } from '../../ids.ts'
import { createSigningSecret } from '../deliveries/signature.ts'
import { checkEndpoint, type EndpointInput } from './validate.ts'

/** How many deliveries are canceled together with their endpoint. `startRetention` cancels the rest in slices. */
export const CANCEL_SLICE = 1_000

/** A row of `endpoints`. Its secrets are encrypted, and views leave them out. */
export type Endpoint = typeof endpoints.$inferSelect

export interface NewEndpoint {
  endpoint: Endpoint
  /** `whsec_…`, shown only once. */
  secret: string
}

/** Creates an endpoint. Throws 400 `invalid_request` with the reasons. */
export async function createEndpoint(deps: Deps, orgId: string, input: EndpointInput): Promise<NewEndpoint> {
  const checked = checkEndpoint(deps.config, input)
  const id = deps.newId('whe')
  const secret = createSigningSecret(deps.randomBytes)
  const now = deps.clock.now()
  const values = {
    id,
    orgId,
    ...checked,
    secret: deps.encryption.encrypt(secret, id),
    createdAt: now,
    updatedAt: now,
  }
  const endpoint = await deps.database.write(async (tx) => {
    await recordWorkspaceChange(deps, tx, orgId)
    const [made] = await tx.insert(endpoints).values(values).returning()
    await recordAudit(deps, tx, orgId, { action: 'endpoint.created', subject: { id, label: checked.url } })
    return made
  })
  if (!endpoint) throw new Error('The endpoint was not stored.')
  return { endpoint, secret }
}

/** Oldest first, without deleted endpoints. */
export function listEndpoints(deps: Deps, orgId: string): Promise<Endpoint[]> {
  return deps.database.read
    .select()
    .from(endpoints)
    .where(and(eq(endpoints.orgId, orgId), isNull(endpoints.deletedAt)))
    .orderBy(asc(endpoints.createdAt), asc(endpoints.id))
}

export async function readEndpoint(deps: Deps, orgId: string, id: string): Promise<Endpoint> {
  const [endpoint] = isId('whe', id) ? await findEndpoint(deps.database.read, { orgId, id }) : []
  if (!endpoint) throw notFound('endpoint')
  return endpoint
}

/** Fields that are absent do not change. Attempts in progress use the old URL, later ones the new URL. */
export function updateEndpoint(
  deps: Deps,
  orgId: string,
  input: { id: string; change: Partial<EndpointInput> },
): Promise<Endpoint> {
  const { id, change } = input
  return changeEndpoint(deps, orgId, { id, action: 'endpoint.changed' }, async (tx, before) => {
    const checked = checkEndpoint(deps.config, {
      url: change.url ?? before.url,
      description: change.description ?? before.description,
      events: change.events ?? before.events,
    })
    return save(tx, before, { ...checked, updatedAt: deps.clock.now() })
  })
}

/** Holds its pending and new deliveries. Attempts in progress continue. */
export function disableEndpoint(deps: Deps, orgId: string, id: string): Promise<Endpoint> {
  return changeEndpoint(deps, orgId, { id, action: 'endpoint.disabled' }, async (tx, before) => {
    if (before.offAt !== null) return before
    const now = deps.clock.now()
    return save(tx, before, { offAt: now, offReason: 'manual', nextDeliveryAt: null, updatedAt: now })
  })
}

/** Makes held deliveries due now, in the order of their commits, and resets the count of failures. */
export function enableEndpoint(deps: Deps, orgId: string, id: string): Promise<Endpoint> {
  return changeEndpoint(deps, orgId, { id, action: 'endpoint.enabled' }, async (tx, before) => {
    if (before.offAt === null) return before
    const now = deps.clock.now()
    await makeDue(tx, { endpointId: id, now })
    await scheduleEndpoint(tx, { endpointId: id, at: now })
    return save(tx, before, {
      offAt: null,
      offReason: null,
      failingSince: null,
      connectFailures: 0,
      updatedAt: now,
    })
  })
}

/** Cancels its unfinished deliveries and deletes its secrets. The delivery log remains readable. */
export async function deleteEndpoint(deps: Deps, orgId: string, id: string): Promise<void> {
  await changeEndpoint(deps, orgId, { id, action: 'endpoint.deleted' }, async (tx, before) => {
    const now = deps.clock.now()
    await cancelInFlight(tx, { endpointId: id, now })
    await cancelPending(tx, { endpointId: id, now, limit: CANCEL_SLICE })
    return save(tx, before, {
      deletedAt: now,
      nextDeliveryAt: null,
      secret: new Uint8Array(0),
      nextSecret: null,
      previousSecret: null,
      previousSecretUntil: null,
      updatedAt: now,
    })
  })
}

/**
 * Changes an endpoint with its row locked, and records the change in the audit log unless nothing changed. Locks the
 * organization's row before the endpoint's, as a ticket's unit does. Throws 404.
 */
export function changeEndpoint(
  deps: Deps,
  orgId: string,
  { id, action }: { id: string; action: string },
  change: (tx: Transaction, before: Endpoint) => Promise<Endpoint>,
): Promise<Endpoint> {
  if (!isId('whe', id)) throw notFound('endpoint')
  return deps.database.write(async (tx) => {
    await recordWorkspaceChange(deps, tx, orgId)
    const [before] = await lockEndpoint(tx, { orgId, id })
    if (!before) throw notFound('endpoint')
    const after = await change(tx, before)
    if (after !== before) await recordAudit(deps, tx, orgId, { action, subject: { id, label: after.url } })
    return after
  })
}

export async function save(tx: Transaction, before: Endpoint, set: Partial<Endpoint>): Promise<Endpoint> {
  const { orgId, id } = before
  const isIt = matches(endpoints, { orgId, id })
  const [saved] = await tx.update(endpoints).set(set).where(isIt).returning()
  if (!saved) throw new Error(`The endpoint ${id} is missing.`)
  return saved
}

/** Does not find a deleted endpoint. */
const findEndpoint = statement('endpoints_find', { orgId: text, id: text }, (read: Reader, p) =>
  read
    .select()
    .from(endpoints)
    .where(and(matches(endpoints, p), isNull(endpoints.deletedAt))),
)

/**
 * Locks an endpoint's row, as every unit does before it changes the endpoint or its pending deliveries. Does not find a
 * deleted endpoint.
 */
export const lockEndpoint = statement('endpoints_lock', { orgId: text, id: text }, (tx, p) =>
  tx
    .update(endpoints)
    .set({ updatedAt: sql`${endpoints.updatedAt}` })
    .where(and(matches(endpoints, p), isNull(endpoints.deletedAt)))
    .returning(),
)

/** For the delivery loop, which covers all organizations and also has results for deleted endpoints. */
export const lockEndpointById = statement('endpoints_lock_by_id', { id: text }, (tx, p) =>
  tx
    .update(endpoints)
    .set({ updatedAt: sql`${endpoints.updatedAt}` })
    .where(eq(endpoints.id, p.id))
    .returning(),
)

const makeDue = command('endpoints_make_due', { endpointId: text, now: integer }, (tx, p) =>
  tx
    .update(deliveries)
    .set({ dueAt: p.now })
    .where(and(eq(deliveries.endpointId, p.endpointId), sql`state = 'pending'`, sql`due_at > ${p.now}`)),
)

const cancelInFlight = command('endpoints_cancel_in_flight', { endpointId: text, now: integer }, (tx, p) =>
  tx
    .update(deliveries)
    .set({ state: 'cancelled', finishedAt: p.now })
    .where(and(eq(deliveries.endpointId, p.endpointId), sql`state = 'in_flight'`)),
)

/** Cancels up to `limit` pending deliveries of an endpoint and returns their ids. */
export const cancelPending = statement(
  'endpoints_cancel_pending',
  { endpointId: text, now: integer, limit: value<number>() },
  (tx, p) => {
    const some = tx
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(and(eq(deliveries.endpointId, p.endpointId), sql`state = 'pending'`))
      .limit(p.limit)
    return tx
      .update(deliveries)
      .set({ state: 'cancelled', finishedAt: p.now })
      .where(inArray(deliveries.id, some))
      .returning({ id: deliveries.id })
  },
)
