import { attach, bindToTicket, detachUploads } from '../attachments/bindings.ts'
import { type Attachment, findAttachmentsOf } from '../attachments/queries.ts'
import { upsertCustomer } from '../customers/customers.ts'
import type { Reader, Transaction } from '../database/database.ts'
import type { EmailAddress, MessageFormat } from '../database/tables/messages.ts'
import type { Opening, Recipients } from '../database/tables/scheduled-messages.ts'
import { actingAs, type Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { isBlank, oneLine } from '../text/text.ts'
import { requireTextOrFiles } from '../tickets/messages.ts'
import { openTicket } from '../tickets/tickets.ts'
import { lockAssignees, unknownAgent } from '../tickets/update-ticket.ts'
import { findRepeated, hashOfRequest, idTaken } from './client-message.ts'
import {
  deleteScheduled,
  findMessage,
  findOpening,
  findOpenings,
  holdScheduled,
  insertScheduled,
  isAuthorDisabled,
  lockScheduled,
  type ScheduledOpening,
} from './queries.ts'
import { isForLater, tooFarAhead } from './schedule-message.ts'
import { authorOf } from './send-message.ts'

interface NewConversation extends Recipients {
  /** Made by the page: the same request again changes nothing. */
  messageId: string
  subject: string
  text: string
  format: MessageFormat
  /** Ids of uploads of the agent. */
  attachments: string[]
  /** Absent for the default one. */
  mailboxId?: string | undefined
  status: Opening['status']
  /** Agent id; empty for no one. */
  assignedTo: string
  tags: string[]
  /** Waits as long as an email can be undone. */
  canUndo: boolean
  /** When it is opened, instead. Milliseconds since 1970; if it is past, the ticket is opened at once. */
  sendAt?: number | undefined
}

/** A ticket that is opened when the time to undo it is over, or at the time its author chose. */
export interface WaitingTicket extends ScheduledOpening {
  attachments: Attachment[]
}

type StartedConversation =
  | { ticketId: string; isNew: boolean; waiting?: never }
  | { waiting: WaitingTicket; ticketId?: never }

/**
 * Opens a ticket with an agent's email to the first of `to`, who is its customer: at `sendAt`, when the time to undo it is
 * over, or at once. Until then there is no ticket. Throws 400 for wrong recipients and the rest of the input, and 409
 * without a mailbox, or when the id belongs to another message.
 */
export async function startConversation(
  deps: Deps,
  orgId: string,
  { author, ...input }: NewConversation & { author: { agentId: string; agentName: string } },
): Promise<StartedConversation> {
  const { messageId: id, text, format, attachments: ids, status, assignedTo, tags } = input
  const subject = oneLine(input.subject)
  if (isBlank(subject)) {
    throw invalid([{ pointer: '/subject', code: 'blank', detail: 'Must not be blank.' }])
  }
  requireTextOrFiles({ text, attachments: ids })
  const requestHash = hashOfRequest([author.agentId, input])
  return deps.database.write(orgId, async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [{ assignedTo }])
    const now = deps.clock.now()
    const waiting = await findOpening(tx, { orgId, id })
    if (waiting) {
      if (waiting.requestHash !== requestHash) throw idTaken()
      return { waiting: await withFiles(tx, waiting) }
    }
    const repeated = await findRepeated(tx, orgId, { id, requestHash, now })
    if (repeated) return { ticketId: repeated.ticketId, isNew: false }
    const tooFar = tooFarAhead(input.sendAt, now)
    if (tooFar) throw invalid([tooFar])
    const { mailboxId, recipients } = await requireWay(deps, tx, orgId, input)
    if (!assignable.has(assignedTo)) throw unknownAgent()
    const undoSeconds = input.canUndo ? await deps.channels.byAddress.undoSeconds(tx, orgId) : 0
    const scheduled: ScheduledOpening = {
      id,
      orgId,
      ticketId: null,
      opening: { subject, mailboxId, status, assignedTo, tags },
      ...author,
      keyId: null,
      text,
      format,
      attachmentCount: ids.length,
      recipients,
      actions: null,
      isLater: isForLater(input.sendAt, now),
      seenMessageId: null,
      seenAt: null,
      isForced: false,
      isHeld: false,
      heldBecause: null,
      requestHash,
      sendAt: Math.max(input.sendAt ?? now + undoSeconds * 1_000, now),
      createdAt: now,
    }
    if (!(await insertScheduled(tx, scheduled))) throw idTaken()
    const uploads = { ids, uploader: author.agentId }
    const attachments = await attach(deps, tx, orgId, { ownerId: id, ticketId: null, files: { uploads } })
    if (scheduled.sendAt > now) return { waiting: { ...scheduled, attachments } }
    return { ticketId: await openScheduled(deps, tx, { scheduled, assignable }), isNew: true }
  })
}

/** The tickets that an agent has written and that aren't open yet, and those held because their author is disabled. */
export async function readWaitingTickets(
  { database: { read } }: Deps,
  orgId: string,
  agentId: string,
): Promise<WaitingTicket[]> {
  const found = await findOpenings(read, { orgId, agentId })
  return Promise.all(found.map((one) => withFiles(read, one)))
}

interface Change {
  id: string
  agentId: string
  agentName: string
}

/** Deletes a ticket that isn't open yet. Its files are uploads of the agent again. Throws 404, and 409 once it is open. */
export async function undoOpening(deps: Deps, orgId: string, { id, agentId }: Change): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const found = await requireOpening(tx, orgId, { id, agentId })
    if (found.attachmentCount > 0) await detachUploads(deps, tx, orgId, { ownerId: id, agentId })
    await deleteScheduled(tx, found)
  })
}

/** Opens the ticket now and returns its id. Throws 404, and 409 once it is open. */
export async function openNow(
  deps: Deps,
  orgId: string,
  { id, agentId, agentName }: Change,
): Promise<string> {
  const before = await findOpening(deps.database.read, { orgId, id })
  return deps.database.write(orgId, async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [{ assignedTo: before?.opening.assignedTo ?? '' }])
    const scheduled = await requireOpening(tx, orgId, { id, agentId })
    return openScheduled(deps, tx, { scheduled: { ...scheduled, agentId, agentName }, assignable })
  })
}

/** Opens a ticket that is due, unless it was taken back since. One whose author is disabled is held. */
export async function openDue(
  deps: Deps,
  { orgId, id }: Pick<ScheduledOpening, 'orgId' | 'id'>,
): Promise<void> {
  const before = await findOpening(deps.database.read, { orgId, id })
  if (!before) return
  await deps.database.write(orgId, async (tx) => {
    const assignable = await lockAssignees(tx, orgId, [{ assignedTo: before.opening.assignedTo }])
    await lockScheduled(tx, { orgId, id })
    const scheduled = await findOpening(tx, { orgId, id })
    if (!scheduled || scheduled.isHeld) return
    if (await isAuthorDisabled(tx, scheduled)) await holdScheduled(tx, scheduled, 'disabled')
    else await openScheduled(deps, tx, { scheduled, assignable })
  })
}

/** An agent who was disabled meanwhile isn't assigned. */
async function openScheduled(
  deps: Deps,
  tx: Transaction,
  { scheduled, assignable }: { scheduled: ScheduledOpening; assignable: Set<string> },
): Promise<string> {
  const { id, orgId, text, format, agentId, agentName, requestHash, opening } = scheduled
  const recipients = scheduled.recipients ?? { to: [], cc: [] }
  await deleteScheduled(tx, scheduled)
  const ticketId = deps.newId('tkt')
  const { attachments } = await withFiles(tx, scheduled)
  if (attachments.length > 0) await bindToTicket(tx, orgId, { ownerId: id, ticketId })
  const asAuthor = actingAs(deps, authorOf(scheduled))
  await openTicket(asAuthor, tx, orgId, {
    ...opening,
    id: ticketId,
    channel: deps.channels.byAddress.kind,
    customer: await customerFor(asAuthor, tx, orgId, recipients.to[0]),
    message: { id, role: 'agent', text, format, agentId, agentName, requestHash },
    attachments: { bound: attachments },
    assignedTo: assignable.has(opening.assignedTo) ? opening.assignedTo : '',
    recipients,
  })
  return ticketId
}

async function requireOpening(
  tx: Transaction,
  orgId: string,
  { id, agentId }: Omit<Change, 'agentName'>,
): Promise<ScheduledOpening> {
  await lockScheduled(tx, { orgId, id })
  const found = await findOpening(tx, { orgId, id })
  if (found && (found.agentId === agentId || found.isHeld)) return found
  const sent = found ? undefined : await findMessage(tx, { orgId, id })
  if (sent?.agentId === agentId) throw new AppError(409, 'already_sent', 'The message is already sent.')
  throw notFound('message')
}

async function withFiles(read: Reader | Transaction, scheduled: ScheduledOpening): Promise<WaitingTicket> {
  const { orgId, id: ownerId, attachmentCount } = scheduled
  const attachments = attachmentCount === 0 ? [] : await findAttachmentsOf(read, { orgId, ownerId })
  return { ...scheduled, attachments }
}

async function requireWay(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { mailboxId, to, cc, bcc }: NewConversation,
): Promise<{ mailboxId: string; recipients: Recipients }> {
  const way = await deps.channels.byAddress.wayThrough(tx, orgId, mailboxId ?? '')
  const { id } = way.requireMailbox()
  if (mailboxId !== undefined && id !== mailboxId) {
    const detail = 'There is no mailbox with this id.'
    throw invalid([{ pointer: '/mailboxId', code: 'unknown_mailbox', detail }])
  }
  return { mailboxId: id, recipients: way.requireRecipients({ to, cc, bcc }, '') }
}

/** A name that the agent typed becomes the customer's name, like one given through the API. */
function customerFor(deps: Deps, tx: Transaction, orgId: string, to: EmailAddress | undefined) {
  if (!to) throw new Error('A conversation was started without a recipient.')
  const { name, address: email } = to
  return upsertCustomer(deps, tx, orgId, { name: name === '' ? undefined : name, email })
}
