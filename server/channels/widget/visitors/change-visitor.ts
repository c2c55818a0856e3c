import { and, eq, isNull } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { visitors, widgetConversations } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { invalid } from '../../../errors.ts'
import { oneLine } from '../../../text/text.ts'
import { TIME_TO_READ_MS } from '../unread/unread-answers.ts'
import type { Widget } from '../widgets/find-widget.ts'
import type { VisitedPage } from './last-seen.ts'
import { customerOfVisitor } from './visitor-customer.ts'
import { forgetVisitors, lockVisitor, type SignedInVisitor, type Visitor } from './visitors.ts'

/** Of all answers of a visitor, as JSON. */
const MAX_FIELDS_BYTES = 16 * 1024

/** What visitors say about themselves. Absent fields don't change. */
export interface TypedData {
  name?: string | undefined
  email?: string | undefined
  /** Answers to the widget's own questions, by their keys. */
  fields?: Record<string, string> | undefined
  page?: VisitedPage | undefined
}

/** Saves what a visitor typed. The customer shows it as not verified. Throws 400 and 401. */
export async function changeVisitor(
  deps: Deps,
  { widget, me }: { widget: Widget; me: SignedInVisitor },
  typed: TypedData,
): Promise<Visitor> {
  const visitor = await deps.database.write(me.orgId, async (tx) => {
    const locked = await lockVisitor(tx, me)
    const changed = await saveTyped(deps, tx, { widget, before: locked, typed })
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
export async function saveTyped(
  deps: Deps,
  tx: Transaction,
  { widget, before, typed }: { widget: Pick<Widget, 'questions'>; before: Visitor; typed: TypedData },
): Promise<Visitor> {
  const { name, email, fields, page } = typed
  const changes = {
    ...(name !== undefined && { typedName: oneLine(name) }),
    ...(email !== undefined && { typedEmail: email.trim() }),
    ...(fields !== undefined && { fields: keptAnswers(widget, before.fields, fields) }),
    ...(page !== undefined && { pageUrl: page.url, pageTitle: oneLine(page.title) }),
  }
  if (Object.keys(changes).length === 0) return before
  await tx
    .update(visitors)
    .set(changes)
    .where(matches(visitors, { orgId: before.orgId, id: before.id }))
  const after = { ...before, ...changes }
  const isOther = after.typedName !== before.typedName || after.typedEmail !== before.typedEmail
  if (isOther && after.customerId !== null) await customerOfVisitor(deps, tx, after)
  return after
}

/**
 * Answers to what the widget asks; anyone can send others. Answers to questions that it doesn't ask anymore stay while
 * there is room. Throws 400.
 */
function keptAnswers(
  { questions }: Pick<Widget, 'questions'>,
  before: Record<string, string>,
  given: Record<string, string>,
): Record<string, string> {
  const asked = questions.fields.flatMap(({ key }) => {
    const answer = given[key] ?? before[key]
    return answer === undefined ? [] : [[key, answer] as const]
  })
  const answers = Object.fromEntries(asked)
  if (bytesOf(answers) > MAX_FIELDS_BYTES) {
    const detail = 'The answers are too long: they can have 16 KiB in all.'
    throw invalid([{ pointer: '/fields', code: 'too_long', detail }])
  }
  const all = { ...before, ...answers }
  return bytesOf(all) > MAX_FIELDS_BYTES ? answers : all
}

function bytesOf(answers: Record<string, string>): number {
  return Buffer.byteLength(JSON.stringify(answers))
}
