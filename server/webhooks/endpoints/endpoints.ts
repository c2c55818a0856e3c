import { and, count, eq, inArray, isNull, sql } from 'drizzle-orm'
import { accountsOf } from '../../channels/accounts/accounts.ts'
import type { AlsoSave, Transaction } from '../../database/database.ts'
import { saveDeferred } from '../../database/deferred-writes.ts'
import { matches } from '../../database/matches.ts'
import { command, integer, statement, text, value } from '../../database/statement.ts'
import { deliveries, endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { recordWorkspaceChange } from '../../events/events.ts'
import { scheduleEndpoint } from '../../events/outbox.ts'
import { createSigningSecret } from '../deliveries/signature.ts'
import { checkEndpoint, type EndpointInput } from './validate.ts'

/** Of one organization: every event is offered to each of them. */
export const MAX_ENDPOINTS = 50
/** How many deliveries are canceled together with their endpoint. `startRetention` cancels the rest in slices. */
export const CANCEL_SLICE = 1_000

/** A row of `endpoints`. Its secrets are encrypted, and views leave them out. */
export type Endpoint = typeof endpoints.$inferSelect

export interface NewEndpoint {
  endpoint: Endpoint
  /** `whsec_…`, shown only once. */
  secret: string
}

/** Every unit locks an endpoint's row before it changes the endpoint or its pending deliveries. */
export const endpointAccounts = accountsOf<Endpoint, 'endpoint'>({
  noun: 'endpoint',
  prefix: 'whe',
  table: endpoints,
  select: (read, where) => read.select().from(endpoints).where(where),
  update: (tx, set, where) => tx.update(endpoints).set(set).where(where).returning(),
  labelOf: ({ url }) => url,
})
export const listEndpoints = endpointAccounts.list
export const readEndpoint = endpointAccounts.read

/** Creates an endpoint. Throws 400 `invalid_request` with the reasons, and 409 beyond 50 endpoints. */
export async function createEndpoint(
  deps: Deps,
  orgId: string,
  input: EndpointInput,
  alsoSave?: AlsoSave<NewEndpoint>,
): Promise<NewEndpoint> {
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
  const endpoint = await deps.database.write(orgId, async (tx) => {
    // Events of other units of this commit came before it.
    await saveDeferred(tx)
    recordWorkspaceChange(deps, tx, orgId)
    await requireRoom(tx, orgId)
    const [made] = await tx.insert(endpoints).values(values).returning()
    if (!made) throw new Error('The endpoint was not stored.')
    await endpointAccounts.recordCreated(deps, tx, made)
    await alsoSave?.(tx, { endpoint: made, secret })
    return made
  })
  return { endpoint, secret }
}

async function requireRoom(tx: Transaction, orgId: string): Promise<void> {
  const isThere = and(matches(endpoints, { orgId }), isNull(endpoints.deletedAt))
  const [found] = await tx.select({ size: count() }).from(endpoints).where(isThere)
  if ((found?.size ?? 0) < MAX_ENDPOINTS) return
  throw new AppError(
    409,
    'too_many_endpoints',
    `An organization can have ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`,
  )
}

/** Fields that are absent do not change. Attempts in progress use the old URL, later ones the new URL. */
export function updateEndpoint(
  deps: Deps,
  orgId: string,
  input: { id: string; change: Partial<EndpointInput> },
): Promise<Endpoint> {
  const { id, change } = input
  return endpointAccounts.change(deps, orgId, { id, action: 'endpoint.changed' }, async (tx, before) => {
    const checked = checkEndpoint(deps.config, {
      url: change.url ?? before.url,
      description: change.description ?? before.description,
      events: change.events ?? before.events,
      ...before.filters,
      ...givenFilters(change),
    })
    return endpointAccounts.save(tx, before, { ...checked, updatedAt: deps.clock.now() })
  })
}

function givenFilters(change: Partial<EndpointInput>): Partial<EndpointInput> {
  const { channels, tags, changes } = change
  return { ...(channels && { channels }), ...(tags && { tags }), ...(changes && { changes }) }
}

/** Holds its pending and new deliveries. Attempts in progress continue. */
export function disableEndpoint(
  deps: Deps,
  orgId: string,
  id: string,
  alsoSave?: AlsoSave<Endpoint>,
): Promise<Endpoint> {
  const disable = async (tx: Transaction, before: Endpoint) => {
    if (before.offAt !== null) return before
    const now = deps.clock.now()
    return endpointAccounts.save(tx, before, {
      offAt: now,
      offReason: 'manual',
      nextDeliveryAt: null,
      updatedAt: now,
    })
  }
  return endpointAccounts.change(deps, orgId, { id, action: 'endpoint.disabled' }, disable, alsoSave)
}

/** Makes held deliveries due now, in the order of their commits, and resets the count of failures. */
export function enableEndpoint(
  deps: Deps,
  orgId: string,
  id: string,
  alsoSave?: AlsoSave<Endpoint>,
): Promise<Endpoint> {
  const enable = async (tx: Transaction, before: Endpoint) => {
    if (before.offAt === null) return before
    const now = deps.clock.now()
    await makeDue(tx, { endpointId: id, now })
    await scheduleEndpoint(tx, { endpointId: id, at: now })
    return endpointAccounts.save(tx, before, {
      offAt: null,
      offReason: null,
      failingSince: null,
      connectFailures: 0,
      updatedAt: now,
    })
  }
  return endpointAccounts.change(deps, orgId, { id, action: 'endpoint.enabled' }, enable, alsoSave)
}

/** Cancels its unfinished deliveries and deletes its secrets. The delivery log remains readable. */
export async function deleteEndpoint(deps: Deps, orgId: string, id: string): Promise<void> {
  await endpointAccounts.change(deps, orgId, { id, action: 'endpoint.deleted' }, async (tx, before) => {
    const now = deps.clock.now()
    await cancelInFlight(tx, { endpointId: id, now })
    await cancelPending(tx, { endpointId: id, now, limit: CANCEL_SLICE })
    return endpointAccounts.save(tx, before, {
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

/** Locks an endpoint. Throws 409 if it is off or deleted: nothing can be sent to it again. */
export async function requireEndpointOn(tx: Transaction, orgId: string, id: string): Promise<Endpoint> {
  const endpoint = await endpointAccounts.lock(tx, orgId, id)
  if (!endpoint) {
    throw new AppError(
      409,
      'endpoint_deleted',
      'The endpoint was deleted, so this delivery cannot be sent again.',
    )
  }
  if (endpoint.offAt !== null) {
    throw new AppError(
      409,
      'endpoint_off',
      'The endpoint is off. Enable it first. Enabling also sends its held deliveries.',
    )
  }
  return endpoint
}

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
