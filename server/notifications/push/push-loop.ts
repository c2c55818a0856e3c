import { and, asc, eq, gt, isNull, lte, sql } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { integer, statement, text } from '../../database/statement.ts'
import { agents } from '../../database/tables/agents.ts'
import { pushes, pushSubscriptions } from '../../database/tables/notifications.ts'
import { sessions } from '../../database/tables/sessions.ts'
import type { Deps } from '../../deps.ts'
import { isHeld } from '../../jobs/held.ts'
import { runLanes } from '../../jobs/run-lanes.ts'
import type { Live } from '../../live/live.ts'
import type { Loop } from '../../loop.ts'
import type { Sender } from '../../webhooks/deliveries/send.ts'
import { type BrowserKeys, encryptPush } from './encrypt-push.ts'
import { pushContents } from './push-contents.ts'
import { TEST_TAG } from './queue-pushes.ts'
import type { Subscription } from './subscriptions.ts'
import { type Authorize, createAuthorize } from './vapid.ts'

/** Browsers that are sent to at the same time. */
const BROWSERS_AT_ONCE = 64
/** Pushes to one browser in one run. */
const PUSHES_AT_ONCE = 16
const SALT_BYTES = 16
/** How long a push service keeps what it can't deliver yet. Later, it is old news. */
const TTL_SECONDS = 4 * 3_600
/** Waits before the second and third attempt. After the third, only the email is left. */
const RETRY_DELAYS_MS = [5_000, 60_000]
const REST_AFTER_INTERRUPTION_MS = 1_000
const MAX_RETRY_AFTER_MS = TTL_SECONDS * 1_000
/** The browser or its user ended the subscription (RFC 8030, section 7.3). */
const ENDED = [404, 410]

type Push = typeof pushes.$inferSelect

/** `contact`: how a push service reaches the operator, as a URL (RFC 8292, section 2.1). */
interface Recipient {
  subscription: Subscription
  contact: string
}

/** `ended`: so has the subscription. `gone`: there is nothing to show anymore. `interrupted`: by the server's stop. */
type Outcome = { push: Push } & (
  | { kind: 'sent' | 'ended' | 'gone' | 'interrupted' }
  | { kind: 'failed'; error: string; mayRetry: boolean; retryAfterMs?: number | undefined }
)

/** What pushes are sent with, and `live` by which open pages learn how that went. */
interface Means {
  sender: Sender
  live: Live
  authorize: Authorize
}

/** Sends queued pushes to the push services of the browsers. After a crash, one may be sent again, and replaces itself. */
export function startPushing(deps: Deps, given: Pick<Means, 'sender' | 'live'>): Loop {
  const means = { ...given, authorize: createAuthorize(deps) }
  return runLanes(deps, {
    name: 'push',
    tables: [pushes],
    atOnce: BROWSERS_AT_ONCE,
    failure: 'push_failed',
    find: (read, { limit, held }) => findDue(read, { limit, held }),
    async run({ id }) {
      const isDone = await pushTo(deps, means, id)
      return isDone ? 0 : REST_AFTER_INTERRUPTION_MS
    },
  })
}

/** The browsers with the earliest pushes. Runs after each commit that queues one. */
const findDue = statement('pushes_due', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .select({ id: pushes.subscriptionId, dueAt: sql<number>`min(${pushes.dueAt})`.mapWith(Number) })
    .from(pushes)
    .where(isHeld(pushes.subscriptionId, p.held))
    .groupBy(pushes.subscriptionId)
    .orderBy(sql`min(${pushes.dueAt}) limit ${p.limit}`),
)

/** Returns whether all attempts finished. Interrupted ones stay queued as they were. */
async function pushTo(deps: Deps, means: Means, subscriptionId: string): Promise<boolean> {
  const due = await duePushes(deps.database.read, { subscriptionId, now: deps.clock.now() })
  const recipient = await findRecipient(deps, subscriptionId)
  const outcomes = await Promise.all(
    due.map((push): Promise<Outcome> | Outcome =>
      recipient ? sendPush(deps, means, { recipient, push }) : { push, kind: 'ended' },
    ),
  )
  const finished = outcomes.filter(({ kind }) => kind !== 'interrupted')
  if (finished.length > 0) await record(deps, { subscriptionId, outcomes: finished })
  if (recipient && isNews(recipient.subscription, finished)) {
    const { orgId, agentId } = recipient.subscription
    means.live.showNotified(orgId, new Set([agentId]))
  }
  return finished.length === outcomes.length
}

/** Whether the page of notifications shows something else now: of a browser that works, only that a test arrived. */
function isNews({ error }: Subscription, outcomes: Outcome[]): boolean {
  return outcomes.some(({ kind, push }) => {
    if (kind === 'sent') return error !== '' || push.tag === TEST_TAG
    return kind === 'ended' || kind === 'failed'
  })
}

const duePushes = statement('pushes_of_browser', { subscriptionId: text, now: integer }, (read: Reader, p) =>
  read
    .select()
    .from(pushes)
    .where(and(eq(pushes.subscriptionId, p.subscriptionId), lte(pushes.dueAt, p.now)))
    .orderBy(asc(pushes.dueAt), sql`${pushes.eventNumber} limit ${sql.raw(String(PUSHES_AT_ONCE))}`),
)

/** Undefined once its agent is signed out or disabled. */
async function findRecipient(deps: Deps, id: string): Promise<Recipient | undefined> {
  const { publicUrl } = deps.config
  const [found] = await deps.database.read
    .select({ subscription: pushSubscriptions, email: agents.email })
    .from(pushSubscriptions)
    .innerJoin(agents, eq(agents.id, pushSubscriptions.agentId))
    .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
    .where(
      and(eq(pushSubscriptions.id, id), gt(sessions.expiresAt, deps.clock.now()), isNull(agents.disabledAt)),
    )
  if (!found) return undefined
  const contact = publicUrl?.startsWith('https:') ? publicUrl : `mailto:${found.email}`
  return { subscription: found.subscription, contact }
}

/** One attempt. Never rejects because of the push service: a failure is an outcome. */
async function sendPush(
  deps: Deps,
  { sender, authorize }: Means,
  { recipient: { subscription, contact }, push }: { recipient: Recipient; push: Push },
): Promise<Outcome> {
  const { endpoint, orgId, origin } = subscription
  const contents = await pushContents(deps, { ...push, origin })
  if (!contents) return { push, kind: 'gone' }
  const keys: BrowserKeys = JSON.parse(deps.encryption.decrypt(subscription.keys, subscription.id))
  const body = await encryptPush(contents.payload, keys, { salt: deps.randomBytes(SALT_BYTES) })
  const headers = {
    Authorization: await authorize({ orgId, endpoint, contact }),
    'Content-Encoding': 'aes128gcm',
    'Content-Type': 'application/octet-stream',
    TTL: String(TTL_SECONDS),
    Urgency: contents.isUrgent || push.tag === TEST_TAG ? 'high' : 'normal',
    // Replaces an older one that the push service still holds.
    Topic: push.tag,
  }
  const request = { endpointId: subscription.id, url: endpoint, headers, body }
  const result = await sender.send(request, PUSHES_AT_ONCE)
  if (result === 'unsent') return { push, kind: 'interrupted' }
  const { outcome, status, detail, retryAfterMs } = result
  if (outcome === 'succeeded') return { push, kind: 'sent' }
  if (status !== null && ENDED.includes(status)) return { push, kind: 'ended' }
  if (outcome === 'interrupted') return { push, kind: 'interrupted' }
  const host = new URL(endpoint).host
  const error = `The server can't reach the push service ${host}: ${detail ?? status ?? outcome}`
  const mayRetry = status === null || status === 429 || status >= 500
  return { push, kind: 'failed', error, mayRetry, retryAfterMs }
}

/** A push that was replaced while this one was sent stays queued. */
async function record(
  deps: Deps,
  { subscriptionId, outcomes }: { subscriptionId: string; outcomes: Outcome[] },
): Promise<void> {
  const now = deps.clock.now()
  const hasEnded = outcomes.some(({ kind }) => kind === 'ended')
  await deps.database.write(undefined, async (tx) => {
    if (hasEnded) {
      await tx.delete(pushSubscriptions).where(eq(pushSubscriptions.id, subscriptionId))
      await tx.delete(pushes).where(eq(pushes.subscriptionId, subscriptionId))
      return
    }
    let health: { lastSentAt?: number; error?: string } = {}
    for (const outcome of outcomes) {
      const { tag, eventNumber, attempts } = outcome.push
      const isSame = matches(pushes, { subscriptionId, tag, eventNumber })
      if (outcome.kind === 'sent') health = { lastSentAt: now, error: '' }
      if (outcome.kind === 'failed') health = { ...health, error: outcome.error }
      const delay = outcome.kind === 'failed' && outcome.mayRetry ? RETRY_DELAYS_MS[attempts] : undefined
      if (outcome.kind !== 'failed' || delay === undefined) {
        await tx.delete(pushes).where(isSame)
        continue
      }
      const wait = Math.max(delay, Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
      await tx
        .update(pushes)
        .set({ attempts: attempts + 1, dueAt: now + wait })
        .where(isSame)
    }
    if (Object.keys(health).length > 0) {
      await tx.update(pushSubscriptions).set(health).where(eq(pushSubscriptions.id, subscriptionId))
    }
  })
}
