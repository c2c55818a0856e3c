import { Elysia, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { baseUrl } from '../requests/headers.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import { deviceName } from '../sessions/device.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import { type Choices, changeChoices, choicesOf, findSettings, isHeard } from './choices.ts'
import { queuePushes, TEST_TAG } from './push/queue-pushes.ts'
import {
  addSubscription,
  listSubscriptions,
  removeSubscription,
  type Subscription,
} from './push/subscriptions.ts'
import { publicKeyOf } from './push/vapid.ts'
import * as schemas from './schemas.ts'
import { listUnseen } from './seen.ts'
import { listBells, setBell } from './view-bells.ts'

/** What an agent is notified of, how, and in which browsers. */
export function notificationRoutes(guard: AgentGuard) {
  const noQuery = strictQuery()
  const withBody = { parse: arrive, transform: [noQuery, jsonBody] }
  const nothing = { 204: t.Undefined() }
  return new Elysia({ name: 'notifications/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/me/notifications', ({ me, as }) => readOwn(as, me), {
      transform: noQuery,
      response: { 200: schemas.ownNotifications },
    })
    .patch(
      '/me/notifications',
      async ({ me, as, body }) => {
        const { pausedUntil, ...change } = body
        const until = pausedUntil == null ? pausedUntil : Date.parse(pausedUntil)
        const { orgId, agentId } = me
        return viewChoices(await changeChoices(as, { orgId, agentId }, { ...change, pausedUntil: until }))
      },
      { ...withBody, body: schemas.choicesChange, response: { 200: schemas.choices } },
    )
    .post(
      '/me/browsers',
      async ({ me, as, body, request, status }) => {
        const device = request.headers.get('user-agent') ?? ''
        const origin = baseUrl(request, as.config.publicUrl)
        return status(201, viewBrowser(await addSubscription(as, me, { ...body, origin, device })))
      },
      { ...withBody, body: schemas.newSubscription, response: { 201: schemas.browser } },
    )
    .delete(
      '/me/browsers/:id',
      async ({ me, as, params, status }) => {
        await removeSubscription(as, me, params.id)
        return status(204, undefined)
      },
      { transform: noQuery, params: byId, response: nothing },
    )
    .post(
      '/me/browsers/:id/test',
      async ({ me, as, params, status }) => {
        await sendTest(as, me, params.id)
        return status(204, undefined)
      },
      { transform: noQuery, params: byId, response: nothing },
    )
    .get('/notifications', ({ me, as }) => readUnseen(as, me), {
      transform: noQuery,
      response: { 200: schemas.unseen },
    })
    .put('/views/:id/bell', ({ me, as, params, body }) => setBell(as, me, { ...body, viewId: params.id }), {
      ...withBody,
      params: byId,
      body: schemas.bellChange,
      response: { 200: schemas.bell },
    })
}

async function readOwn(deps: Deps, { orgId, agentId, email }: SignedIn) {
  const { read } = deps.database
  const publicKey = await publicKeyOf(deps, orgId)
  const { mailbox } = await deps.channels.byAddress.wayThrough(read, orgId, '')
  const browsers = await listSubscriptions(read, { orgId, agentId, now: deps.clock.now() })
  return {
    ...viewChoices(choicesOf(await findSettings(read, { orgId, agentId }))),
    publicKey,
    browsers: browsers.map(viewBrowser),
    bells: await listBells(read, { orgId, agentId }),
    mailbox: mailbox?.address ?? null,
    email,
  }
}

async function readUnseen(deps: Deps, { orgId, agentId }: SignedIn) {
  const { read } = deps.database
  const choices = choicesOf(await findSettings(read, { orgId, agentId }))
  const rows = await listUnseen(read, { orgId, agentId })
  return {
    data: rows.map(({ ticketId, reason, isChat, createdAt }) => ({
      ticketId,
      reason,
      createdAt: isoTime(createdAt),
      sound: isHeard(choices, { reason, isChat }),
    })),
    pausedUntil: isoTimeOrNull(choices.pausedUntil),
  }
}

/** Throws 404. */
async function sendTest(deps: Deps, { orgId, agentId }: SignedIn, id: string): Promise<void> {
  const now = deps.clock.now()
  await deps.database.write(orgId, async (tx) => {
    const browsers = await listSubscriptions(tx, { orgId, agentId, now })
    if (!browsers.some((browser) => browser.id === id)) throw notFound('browser')
    await queuePushes(tx, [
      { subscriptionId: id, tag: TEST_TAG, orgId, agentId, eventNumber: 0, dueAt: now, attempts: 0 },
    ])
  })
}

function viewChoices({ ways, showsText, pausedUntil, hasSummary }: Choices) {
  return { ways, showsText, pausedUntil: isoTimeOrNull(pausedUntil), hasSummary }
}

function viewBrowser({ id, endpoint, device, createdAt, lastSentAt, error }: Subscription) {
  return {
    id,
    endpoint,
    device: deviceName(device),
    createdAt: isoTime(createdAt),
    lastSentAt: isoTimeOrNull(lastSentAt),
    error,
  }
}
