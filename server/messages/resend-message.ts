import { findAttachmentsOf } from '../attachments/queries.ts'
import type { Send } from '../channels/channel.ts'
import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { type EmailAddress, messages } from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { type Message, requireTicket, type Ticket } from '../tickets/queries.ts'
import { findMessage } from './queries.ts'
import { planSends } from './sends/plan-sends.ts'
import { findSends, insertSends, recordTicketChange } from './sends/queries.ts'

interface Resending {
  ticketId: string
  messageId: string
  /** Who gets it instead of those who didn't; absent for the same ones. */
  to?: EmailAddress[] | undefined
}

/**
 * Sends a message that failed or bounced again, to the recipients who didn't get it or to others in their place. Any agent
 * can. Throws 404, 400 for a wrong recipient, and 409 when it did not fail or can't leave.
 */
export async function resendMessage(
  deps: Deps,
  orgId: string,
  { ticketId, messageId, to = [] }: Resending,
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    const message = isId('msg', messageId) ? await findMessage(tx, { orgId, id: messageId }) : undefined
    if (message?.ticketId !== ticketId) throw notFound('message')
    const [send] = await findSends(tx, { orgId, messageId })
    const hasFailed = message.sending === 'failed' || message.sending === 'bounced'
    if (send ? !canResend(send) : !hasFailed) throw notFailed()
    if (send) {
      const agentName = message.agentId === null ? undefined : (message.agentName ?? undefined)
      const again = { to, agentName, mailboxId: ticket.mailboxId }
      await deps.channels.sending(send.channel).resend(deps, tx, send, again)
    } else await planAgain(deps, tx, { ticket, message, to })
    await recordTicketChange(deps, tx, { orgId, ticketId, messageId })
  })
}

/** Whether a recipient didn't get it, and no attempt is left. */
function canResend({ state, outcomes }: Pick<Send, 'state' | 'outcomes'>): boolean {
  if (state === 'waiting' || state === 'sending') return false
  return state !== 'sent' || outcomes.some((outcome) => outcome.state !== 'sent')
}

/** For a message that had no way out when it was written. */
async function planAgain(
  deps: Deps,
  tx: Transaction,
  { ticket, message, to }: { ticket: Ticket; message: Message; to: EmailAddress[] },
): Promise<void> {
  const { orgId } = ticket
  const { id, text, format, agentId, agentName } = message
  const others = to.length > 0 ? await requireOthers(deps, tx, ticket, to) : undefined
  const customer = await customerOf(tx, orgId, ticket.customerId)
  const written = { id, text, format, agentId: agentId ?? undefined, agentName: agentName ?? '' }
  const files = message.attachmentCount === 0 ? [] : await findAttachmentsOf(tx, { orgId, ownerId: id })
  const { sends, ...planned } = await planSends(deps, tx, {
    ticket,
    customer,
    message: { ...written, createdAt: deps.clock.now() },
    files,
    ...(others && { recipients: others }),
  })
  if (planned.sending === 'failed') throw cannotLeave(planned.sendError ?? '')
  if (sends.length === 0) throw sendsNothing()
  await tx.update(messages).set(planned).where(matches(messages, { orgId, id }))
  await insertSends(tx, sends)
}

async function requireOthers(
  deps: Deps,
  tx: Transaction,
  ticket: Ticket,
  to: EmailAddress[],
): Promise<Recipients> {
  const way = await deps.channels.byAddress.wayThrough(tx, ticket.orgId, ticket.mailboxId)
  return way.requireRecipients({ to, cc: [] }, '')
}

function notFailed(): AppError {
  return new AppError(409, 'not_failed', 'The message did not fail, so there is nothing to send again.')
}

function cannotLeave(reason: string): AppError {
  return new AppError(409, 'no_transport', reason)
}

function sendsNothing(): AppError {
  const detail =
    "Bellhop doesn't send messages on the API channel. Your integration receives them by webhook."
  return new AppError(409, 'no_transport', detail)
}
