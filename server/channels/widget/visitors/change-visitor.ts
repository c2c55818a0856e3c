import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { visitors, widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { TIME_TO_READ_MS } from '../../../sends/unread-email.ts'
import type { VisitedPage } from './last-seen.ts'
import { customerOfVisitor } from './visitor-customer.ts'
import { forgetVisitors, lockVisitor, type SignedInVisitor, type Visitor } from './visitors.ts'

/** What visitors say about themselves. Absent fields don't change. */
export interface TypedData {
  name?: string | undefined
  email?: string | undefined
  /** Answers to the widget's own questions, by their keys. */
  fields?: Record<string, string> | undefined
  page?: VisitedPage | undefined
}

/** Saves what a visitor typed. It isn't copied to the customer, because no one has verified it. Throws 401. */
export async function changeVisitor(deps: Deps, me: SignedInVisitor, typed: TypedData): Promise<Visitor> {
  const visitor = await deps.database.write(async (tx) => {
    const locked = await lockVisitor(tx, me)
    const changed = await saveTyped(tx, locked, typed)
    const isRenamed = changed.userId === null && changed.typedName !== locked.typedName
    if (isRenamed && changed.customerId !== null) await customerOfVisitor(deps, tx, changed)
    if (changed.typedEmail !== locked.typedEmail) await emailUnreadSoon(deps, tx, changed)
    return changed
  })
  forgetVisitors(deps, [me.tokenHash])
  return visitor
}

/** Unread answers can now be emailed to the address that the visitor has left. */
async function emailUnreadSoon(deps: Deps, tx: Transaction, { orgId, id }: Visitor): Promise<void> {
  await tx
    .update(widgetConversations)
    .set({ emailDueAt: deps.clock.now() + TIME_TO_READ_MS })
    .where(
      and(
        eq(widgetConversations.orgId, orgId),
        eq(widgetConversations.visitorId, id),
        isNull(widgetConversations.emailDueAt),
      ),
    )
}

/** The same in a unit that has locked the visitor. */
export async function saveTyped(tx: Transaction, before: Visitor, typed: TypedData): Promise<Visitor> {
  const { name, email, fields, page } = typed
  const changes = {
    ...(name !== undefined && { typedName: name.trim() }),
    ...(email !== undefined && { typedEmail: email.trim() }),
    ...(fields !== undefined && { fields: { ...before.fields, ...fields } }),
    ...(page !== undefined && { pageUrl: page.url, pageTitle: page.title }),
  }
  if (Object.keys(changes).length === 0) return before
  await tx
    .update(visitors)
    .set(changes)
    .where(and(eq(visitors.orgId, before.orgId), eq(visitors.id, before.id)))
  return { ...before, ...changes }
}
