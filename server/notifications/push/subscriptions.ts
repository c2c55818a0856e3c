import { and, asc, count, eq, gt, isNull } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { agents } from '../../database/tables/agents.ts'
import { pushes, pushSubscriptions } from '../../database/tables/notifications.ts'
import { sessions } from '../../database/tables/sessions.ts'
import type { Deps } from '../../deps.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import { isId } from '../../ids.ts'
import { createAddressPolicy } from '../../network/address-policy.ts'
import type { SignedIn } from '../../sessions/sessions.ts'
import { refusalOfUrl } from '../../webhooks/endpoints/validate.ts'
import { areBrowserKeys, type BrowserKeys } from './encrypt-push.ts'

/** Browsers of one agent. */
const MAX_SUBSCRIPTIONS = 20
const MAX_DEVICE_LENGTH = 300

export type Subscription = typeof pushSubscriptions.$inferSelect

interface NewSubscription {
  /** The URL that the browser's push service gave it. */
  endpoint: string
  keys: BrowserKeys
  /** The endpoint that this one follows, when the browser renewed its subscription. */
  replaces?: string | undefined
  /** Where the browser opens Bellhop. */
  origin: string
  device: string
}

/**
 * Stores the subscription of a browser, or moves a known one to this session. Throws 400 for an endpoint that the address
 * policy refuses and for wrong keys, 409 `too_many_browsers`.
 */
export async function addSubscription(
  deps: Deps,
  { orgId, agentId, sessionId }: SignedIn,
  { endpoint, keys, replaces, origin, device }: NewSubscription,
): Promise<Subscription> {
  const refusal = refusalOfUrl(createAddressPolicy(deps.config.webhookAllow), endpoint)
  if (refusal) throw invalid([{ pointer: '/endpoint', ...refusal }])
  if (!(await areBrowserKeys(keys))) {
    const detail = 'These are not the keys of a push subscription.'
    throw invalid([{ pointer: '/keys', code: 'invalid_keys', detail }])
  }
  return deps.database.write(orgId, async (tx) => {
    const isTheirs = matches(pushSubscriptions, { orgId, agentId })
    if (replaces !== undefined && replaces !== endpoint) {
      await tx.delete(pushSubscriptions).where(and(isTheirs, eq(pushSubscriptions.endpoint, replaces)))
    }
    const [known] = await tx
      .select({ id: pushSubscriptions.id })
      .from(pushSubscriptions)
      .where(and(isTheirs, eq(pushSubscriptions.endpoint, endpoint)))
    const id = known?.id ?? deps.newId('psh')
    const fields = {
      sessionId,
      keys: deps.encryption.encrypt(JSON.stringify(keys), id),
      origin,
      device: device.slice(0, MAX_DEVICE_LENGTH),
      error: '',
    }
    if (!known) await requireLimit(tx, { orgId, agentId })
    // A browser belongs to the agent who uses it now.
    await tx
      .delete(pushSubscriptions)
      .where(and(eq(pushSubscriptions.orgId, orgId), eq(pushSubscriptions.endpoint, endpoint)))
    const createdAt = deps.clock.now()
    const [added] = await tx
      .insert(pushSubscriptions)
      .values({ id, orgId, agentId, endpoint, createdAt, ...fields })
      .returning()
    if (!added) throw new Error('A push subscription was not stored.')
    return added
  })
}

async function requireLimit(tx: Transaction, owner: { orgId: string; agentId: string }): Promise<void> {
  const [row] = await tx
    .select({ browsers: count() })
    .from(pushSubscriptions)
    .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
    .where(matches(pushSubscriptions, owner))
  if ((row?.browsers ?? 0) < MAX_SUBSCRIPTIONS) return
  const detail = `You can have notifications in at most ${MAX_SUBSCRIPTIONS} browsers. Remove one first.`
  throw new AppError(409, 'too_many_browsers', detail)
}

/** The browsers of an agent that get pushes: those that are still signed in. Oldest first. */
export function listSubscriptions(
  read: Reader | Transaction,
  { orgId, agentId, now }: { orgId: string; agentId: string; now: number },
): Promise<Subscription[]> {
  return read
    .select({ subscription: pushSubscriptions })
    .from(pushSubscriptions)
    .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
    .innerJoin(agents, eq(agents.id, pushSubscriptions.agentId))
    .where(
      and(
        matches(pushSubscriptions, { orgId, agentId }),
        gt(sessions.expiresAt, now),
        isNull(agents.disabledAt),
      ),
    )
    .orderBy(asc(pushSubscriptions.createdAt), asc(pushSubscriptions.id))
    .then((rows) => rows.map(({ subscription }) => subscription))
}

/** Throws 404. */
export async function removeSubscription(
  deps: Deps,
  { orgId, agentId }: SignedIn,
  id: string,
): Promise<void> {
  if (!isId('psh', id)) throw notFound('browser')
  await deps.database.write(orgId, async (tx) => {
    const removed = await tx
      .delete(pushSubscriptions)
      .where(matches(pushSubscriptions, { orgId, agentId, id }))
      .returning({ id: pushSubscriptions.id })
    if (removed.length === 0) throw notFound('browser')
    await tx.delete(pushes).where(eq(pushes.subscriptionId, id))
  })
}
