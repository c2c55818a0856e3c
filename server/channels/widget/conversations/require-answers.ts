import type { Transaction } from '../../../database/database.ts'
import { AppError, type Fault } from '../../../errors.ts'
import type { Visitor } from '../visitors/visitors.ts'
import type { Widget } from '../widgets/find-widget.ts'
import { findTicketIdsOfUser, findTicketIdsOfVisitor } from './queries.ts'

/**
 * Throws 400 if a visitor hasn't answered the widget's required questions before their first conversation. Users whom
 * the website has signed in aren't asked for name and email. Later conversations ask nothing, even if the questions
 * have changed since.
 */
export async function requireAnswers(
  tx: Transaction,
  { questions }: Pick<Widget, 'questions'>,
  visitor: Visitor,
): Promise<void> {
  const missing = missingAnswers(questions, visitor)
  const [first] = missing
  if (!first || (await hasConversation(tx, visitor))) return
  const detail = missing.length === 1 ? first.detail : `${missing.length} required questions have no answer.`
  throw new AppError(400, 'answers_required', detail, { errors: missing })
}

function missingAnswers({ name, email, fields }: Widget['questions'], visitor: Visitor): Fault[] {
  const { userId, typedName, typedEmail } = visitor
  const isAsked = userId === null
  return [
    ...(isAsked && name === 'required' && typedName === '' ? [fault('/name', 'Name')] : []),
    ...(isAsked && email === 'required' && typedEmail === '' ? [fault('/email', 'Email')] : []),
    ...fields
      .filter(({ key, isRequired }) => isRequired && !visitor.fields[key]?.trim())
      .map(({ key, label }) => fault(`/fields/${key}`, label)),
  ]
}

function fault(pointer: string, label: string): Fault {
  return { pointer, code: 'required', detail: `"${label}" has no answer. Reload the page to answer it.` }
}

async function hasConversation(tx: Transaction, { orgId, id, userId }: Visitor): Promise<boolean> {
  const found =
    userId === null
      ? await findTicketIdsOfVisitor(tx, { orgId, visitorId: id, limit: 1 })
      : await findTicketIdsOfUser(tx, { orgId, userId, limit: 1 })
  return found.length > 0
}
