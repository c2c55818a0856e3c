import { and, isNotNull } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { visitors, widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { type IdentityInput, type IdentityResult, verifyIdentity } from '../identity.ts'
import type { Widget } from '../widgets/find-widget.ts'
import type { VisitedPage } from './last-seen.ts'
import { customerOfVisitor, moveToUser } from './visitor-customer.ts'
import {
  forgetVisitors,
  lockVisitor,
  newVisitorToken,
  recheckVisitors,
  type SignedInVisitor,
  TOKEN_LIFETIME_MS,
  type Visitor,
  visitorBlocked,
} from './visitors.ts'

interface NewSession {
  /** The signed identity; undefined for a visitor whom the website hasn't signed in. */
  identity: IdentityInput | undefined
  /** As the visitor or the page gives them: no one has checked them. */
  name: string
  email: string
  page: VisitedPage | undefined
  browser: string
  language: string
  timeZone: string
  address: string
}

interface Session {
  visitor: Visitor
  /** Undefined when the visitor keeps the one they have. */
  token: string | undefined
}

type VerifiedIdentity = Extract<IdentityResult, { isValid: true }>

/**
 * Starts a session in a browser, or continues with `current`, if it is of the same person. A visitor who wrote before the
 * website signed them in takes their conversations along, with a new token. `onNew` may refuse a new session. Throws 401
 * for a wrong signature, and 403 where only signed-in users can write.
 */
export async function openSession(
  deps: Deps,
  widget: Widget,
  { current, onNew, ...details }: NewSession & { current: SignedInVisitor | undefined; onNew: () => void },
): Promise<Session> {
  const identity = details.identity && (await requireIdentity(deps, widget, details.identity))
  const isSame = current && (identity === undefined || current.userId === identity.userId)
  if (widget.verifiedOnly && !identity && (!isSame || current.userId === null)) throw verificationRequired()
  if (isSame) return { visitor: await goOn(deps, current, { identity, details }), token: undefined }
  onNew()
  if (identity && (await isUserBlocked(deps, widget, identity.userId))) throw visitorBlocked()
  if (current?.userId === null && identity) return signIn(deps, current, { identity, details })
  if (current) await endSession(deps, current)
  return startSession(deps, widget, { identity, details })
}

/** Signs a visitor out: the token opens nothing anymore, and open streams end. */
export async function endSession(deps: Deps, visitor: SignedInVisitor): Promise<void> {
  await deps.database.write(visitor.orgId, async (tx) => {
    await tx
      .update(visitors)
      .set({ tokenHash: null })
      .where(matches(visitors, { id: visitor.id, tokenHash: visitor.tokenHash }))
  })
  recheckVisitors(deps, [visitor.tokenHash])
}

export function verificationRequired(): AppError {
  const detail = 'Only users that the website has signed in can write here.'
  return new AppError(403, 'verification_required', detail)
}

async function requireIdentity(deps: Deps, widget: Widget, input: IdentityInput): Promise<VerifiedIdentity> {
  const result = await verifyIdentity(deps, widget, input)
  if (result.isValid) return result
  throw new AppError(401, result.isExpired ? 'expired_identity' : 'invalid_identity', result.detail)
}

/** A user who was blocked in any browser is blocked in all. */
async function isUserBlocked(deps: Deps, { id, orgId }: Widget, userId: string): Promise<boolean> {
  const [blocked] = await deps.database.read
    .select({ id: visitors.id })
    .from(visitors)
    .where(and(matches(visitors, { orgId, widgetId: id, userId }), isNotNull(visitors.blockedAt)))
    .limit(1)
  return blocked !== undefined
}

interface SessionInput {
  identity: VerifiedIdentity | undefined
  details: NewSession
}

async function startSession(
  deps: Deps,
  widget: Widget,
  { identity, details }: SessionInput,
): Promise<Session> {
  const { token, hash } = newVisitorToken(deps)
  const now = deps.clock.now()
  const visitor: Visitor = {
    id: deps.newId('vis'),
    orgId: widget.orgId,
    widgetId: widget.id,
    tokenHash: hash,
    tokenExpiresAt: now + TOKEN_LIFETIME_MS,
    customerId: null,
    userId: identity?.userId ?? null,
    verifiedName: identity?.name ?? '',
    verifiedEmail: identity?.email ?? '',
    typedName: details.name,
    typedEmail: details.email,
    fields: {},
    pageUrl: details.page?.url ?? '',
    pageTitle: details.page?.title ?? '',
    browser: details.browser,
    language: details.language,
    timeZone: details.timeZone,
    address: details.address,
    lastSeenAt: now,
    connectedUntil: null,
    blockedAt: null,
    createdAt: now,
  }
  await deps.database.write(visitor.orgId, async (tx) => {
    await tx.insert(visitors).values(visitor)
  })
  return { visitor, token }
}

/** Signs in the visitor of a browser in which they have already written. */
async function signIn(
  deps: Deps,
  me: SignedInVisitor,
  { identity, details }: SessionInput & { identity: VerifiedIdentity },
): Promise<Session> {
  const { token, hash } = newVisitorToken(deps)
  const visitor = await deps.database.write(me.orgId, async (tx) => {
    const locked = await lockVisitor(tx, me)
    const { userId } = identity
    const changed = await change(tx, locked, {
      ...changesOf({ identity, details }),
      userId,
      // They become another customer with their next message.
      customerId: null,
      tokenHash: hash,
      tokenExpiresAt: deps.clock.now() + TOKEN_LIFETIME_MS,
    })
    await tx
      .update(widgetConversations)
      .set({ userId })
      .where(matches(widgetConversations, { orgId: me.orgId, visitorId: me.id }))
    await moveToUser(deps, tx, locked, changed)
    return changed
  })
  recheckVisitors(deps, [me.tokenHash])
  return { visitor, token }
}

/** A new name or address that the website has signed changes the customer, once there is one. */
async function goOn(deps: Deps, me: SignedInVisitor, { identity, details }: SessionInput): Promise<Visitor> {
  const changes = changesOf({ identity, details })
  const names = Object.keys(changes) as (keyof typeof changes)[]
  if (names.every((name) => changes[name] === me[name])) return me
  const visitor = await deps.database.write(me.orgId, async (tx) => {
    const changed = await change(tx, await lockVisitor(tx, me), changes)
    if (changed.customerId !== null) await customerOfVisitor(deps, tx, changed)
    return changed
  })
  forgetVisitors(deps, [me.tokenHash])
  return visitor
}

function changesOf({ identity, details: { name, email } }: SessionInput): Partial<Visitor> {
  return {
    ...(identity && { verifiedName: identity.name, verifiedEmail: identity.email }),
    ...(name !== '' && { typedName: name }),
    ...(email !== '' && { typedEmail: email }),
  }
}

async function change(tx: Transaction, before: Visitor, changes: Partial<Visitor>): Promise<Visitor> {
  const after = { ...before, ...changes }
  await tx
    .update(visitors)
    .set(changes)
    .where(matches(visitors, { orgId: before.orgId, id: before.id }))
  return after
}
