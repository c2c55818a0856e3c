import { findUnsent } from '../../../attachments/queries.ts'
import type { Customer } from '../../../customers/customers.ts'
import type { Transaction } from '../../../database/database.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, type Fault } from '../../../errors.ts'
import { isId } from '../../../ids.ts'
import { cleanLines } from '../../../text/text.ts'
import { survivorOf } from '../../../tickets/merged.ts'
import { requireTextOrFiles } from '../../../tickets/messages.ts'
import { receiveCustomerMessage } from '../../../tickets/receive-message.ts'
import { openTicket, subjectOf } from '../../../tickets/tickets.ts'
import { saveTyped, type TypedData } from '../visitors/change-visitor.ts'
import { verificationRequired } from '../visitors/open-session.ts'
import { customerOfVisitor } from '../visitors/visitor-customer.ts'
import { countVisitorMessage } from '../visitors/visitor-limits.ts'
import {
  forgetVisitors,
  lockVisitor,
  type SignedInVisitor,
  type Visitor,
  visitorBlocked,
} from '../visitors/visitors.ts'
import type { Widget } from '../widgets/find-widget.ts'
import {
  findByClientId,
  findConversation,
  findSent,
  findTicketIdsOf,
  insertConversations,
  insertWidgetMessages,
} from './queries.ts'
import { isOwn, unknownConversation } from './read-conversations.ts'

interface NewVisitorMessage {
  /** A ticket id, or an id that the page made for a conversation. */
  conversation: string
  /** Made by the page. Repeating it changes nothing. */
  clientId: string
  text: string
  attachments: string[]
  typed: TypedData
}

interface SentMessage {
  ticketId: string
  messageId: string
  /** It was stored before. */
  isRepeated: boolean
}

/**
 * Stores what a visitor wrote, once for each id, in an existing conversation or a new one. The visitor's row is locked
 * first: two first messages of one conversation open one ticket. Throws 400, 401, 403, 404 for a conversation of someone
 * else, 409 for an id that another message has, and 429 for too many.
 */
export async function receiveVisitorMessage(
  deps: Deps,
  { widget, me }: { widget: Widget; me: SignedInVisitor },
  { conversation, clientId, text, attachments, typed }: NewVisitorMessage,
): Promise<SentMessage> {
  const message = { clientId, requestHash: hashOf(text, attachments), text: cleanLines(text), attachments }
  requireTextOrFiles(message)
  const { orgId, id: visitorId } = me
  const sent = await deps.database.write(orgId, async (tx) => {
    const locked = await lockVisitor(tx, me)
    if (locked.blockedAt !== null) throw visitorBlocked()
    const [earlier] = await findSent(tx, { orgId, visitorId, clientId })
    if (earlier) return repeated(earlier, message.requestHash)
    await countVisitorMessage(deps, tx, { visitorId, clientId })
    if (widget.verifiedOnly && locked.userId === null) throw verificationRequired()
    const visitor = await saveTyped(deps, tx, { widget, before: locked, typed })
    const ticketId = await ticketOf(tx, visitor, conversation)
    if (ticketId !== undefined) return addMessage(deps, tx, { visitor, ticketId, message })
    await requireAnswers(tx, widget, visitor)
    return openConversation(deps, tx, { visitor, clientId: conversation, message })
  })
  forgetVisitors(deps, [me.tokenHash])
  return sent
}

interface Written {
  clientId: string
  requestHash: string
  text: string
  attachments: string[]
}

/** Undefined for a new conversation. Throws 404. */
async function ticketOf(
  tx: Transaction,
  visitor: Visitor,
  conversation: string,
): Promise<string | undefined> {
  const { orgId, id: visitorId } = visitor
  if (!isId('tkt', conversation)) {
    const [opened] = await findByClientId(tx, { orgId, visitorId, clientId: conversation })
    return opened?.ticketId
  }
  const [row] = await findConversation(tx, { orgId, ticketId: conversation })
  if (!row || !isOwn(row, visitor)) throw unknownConversation()
  return conversation
}

/**
 * Throws 400 if a visitor hasn't answered the widget's required questions before their first conversation. Users whom
 * the website has signed in aren't asked for name and email. Later conversations ask nothing, even if the questions
 * have changed since.
 */
async function requireAnswers(
  tx: Transaction,
  { questions }: Pick<Widget, 'questions'>,
  visitor: Visitor,
): Promise<void> {
  const missing = missingAnswers(questions, visitor)
  const [first] = missing
  if (!first || (await findTicketIdsOf(tx, visitor, 1)).length > 0) return
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

async function addMessage(
  deps: Deps,
  tx: Transaction,
  { visitor, ticketId, message }: { visitor: Visitor; ticketId: string; message: Written },
): Promise<SentMessage> {
  const { orgId, id: visitorId } = visitor
  const messageId = deps.newId('msg')
  await insertWidgetMessages(tx, [{ orgId, visitorId, ticketId, messageId, ...keyOf(message) }])
  await receiveCustomerMessage(deps, tx, orgId, {
    id: messageId,
    ticketId: await survivorOf(tx, orgId, ticketId),
    text: message.text,
    attachments: { uploads: { ids: message.attachments, uploader: visitorId } },
  })
  return { ticketId, messageId, isRepeated: false }
}

async function openConversation(
  deps: Deps,
  tx: Transaction,
  { visitor, clientId, message }: { visitor: Visitor; clientId: string; message: Written },
): Promise<SentMessage> {
  const { orgId, id: visitorId, widgetId, userId } = visitor
  const customer: Customer = await customerOfVisitor(deps, tx, visitor)
  const messageId = deps.newId('msg')
  const ticketId = deps.newId('tkt')
  await insertConversations(tx, [
    {
      ticketId,
      orgId,
      widgetId,
      visitorId,
      userId,
      clientId,
      seenMessageId: '',
      seenAt: null,
      seenByAgentAt: null,
      emailDueAt: null,
      lastEmailedAt: null,
      createdAt: deps.clock.now(),
    },
  ])
  await insertWidgetMessages(tx, [{ orgId, visitorId, ticketId, messageId, ...keyOf(message) }])
  await openTicket(deps, tx, orgId, {
    id: ticketId,
    channel: 'widget',
    subject: await subjectFor(tx, visitor, message),
    customer,
    message: { id: messageId, text: message.text },
    attachments: { uploads: { ids: message.attachments, uploader: visitorId } },
  })
  return { ticketId, messageId, isRepeated: false }
}

function keyOf({ clientId, requestHash }: Written) {
  return { clientId, requestHash }
}

function repeated(
  { ticketId, messageId, requestHash }: { ticketId: string; messageId: string; requestHash: string },
  wanted: string,
): SentMessage {
  if (requestHash === wanted) return { ticketId, messageId, isRepeated: true }
  throw new AppError(409, 'id_taken', 'Another message has this id. Make a new one for each message.')
}

/** The subject comes from the text, or else from the first file. */
async function subjectFor(
  tx: Transaction,
  { orgId, id }: Visitor,
  { text, attachments }: Written,
): Promise<string> {
  const [file] = text.trim() === '' ? await findUnsent(tx, { orgId, uploader: id, ids: attachments }) : []
  return subjectOf(text, file?.name)
}

function hashOf(text: string, attachments: string[]): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([text, attachments])).digest('hex')
}
