import { and, eq } from 'drizzle-orm'
import { findAttachmentsOf } from '../attachments/queries.ts'
import { customerOf } from '../customers/customers.ts'
import type { Transaction } from '../database/database.ts'
import { type EmailAddress, messages } from '../database/tables/messages.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { planSends } from '../sends/plan-sends.ts'
import { changeTicket, findSends, insertSends } from '../sends/queries.ts'
import { requireRecipients } from '../sends/recipients.ts'
import { canResend, resend } from '../sends/send-again.ts'
import { isByEmail, isByTelegram, type TelegramSend } from '../sends/send-content.ts'
import { findLane, reasonToWait } from '../sends/send-lanes.ts'
import { resendByTelegram } from '../sends/telegram/plan-telegram.ts'
import { emailWay, NO_MAILBOX } from '../sends/way-out.ts'
import { type Message, requireTicket, type Ticket } from '../tickets/queries.ts'
import { findMessage } from './queries.ts'

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
  await deps.database.write(async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    const message = isId('msg', messageId) ? await findMessage(tx, { orgId, id: messageId }) : undefined
    if (message?.ticketId !== ticketId) throw notFound('message')
    const [send] = await findSends(tx, { orgId, messageId })
    const hasFailed = message.sending === 'failed' || message.sending === 'bounced'
    if (send ? !canResend(send) : !hasFailed) throw notFailed()
    if (send && isByTelegram(send)) await resendToChat(deps, tx, send, to)
    else {
      const { mailbox, own } = await emailWay(tx, orgId, send?.laneId || ticket.mailboxId)
      const others = to.length > 0 ? requireRecipients({ to, cc: [] }, own, '').to : []
      if (send && isByEmail(send)) {
        if (!mailbox) throw cannotLeave(NO_MAILBOX)
        const agentName = message.agentId === null ? undefined : (message.agentName ?? undefined)
        await resend(deps, tx, send, { mailbox, to: others, agentName })
      } else await planAgain(deps, tx, { ticket, message, to: others })
    }
    await changeTicket(tx, { orgId, id: ticketId, at: deps.clock.now() })
    await recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt: deps.clock.now() }])
  })
}

async function resendToChat(
  deps: Deps,
  tx: Transaction,
  send: TelegramSend,
  to: EmailAddress[],
): Promise<void> {
  if (to.length > 0) {
    const detail = 'The message goes to a chat, so it has no recipients.'
    throw invalid([{ pointer: '/to', code: 'not_by_email', detail }])
  }
  const bot = await findLane(tx, send.laneId)
  if (!bot || bot.deletedAt !== null) throw cannotLeave(`The ${bot?.label ?? 'bot'} was removed.`)
  await resendByTelegram(deps, tx, send, reasonToWait(bot))
}

/** For a message that had no way out when it was written. */
async function planAgain(
  deps: Deps,
  tx: Transaction,
  { ticket, message, to }: { ticket: Ticket; message: Message; to: EmailAddress[] },
): Promise<void> {
  const { orgId } = ticket
  const { id, text, format, agentId, agentName } = message
  const customer = await customerOf(tx, orgId, ticket.customerId)
  const written = { id, text, format, agentId: agentId ?? undefined, agentName: agentName ?? '' }
  const files = message.attachmentCount === 0 ? [] : await findAttachmentsOf(tx, { orgId, ownerId: id })
  const { sends, ...planned } = await planSends(deps, tx, {
    ticket,
    customer,
    message: { ...written, createdAt: deps.clock.now() },
    files,
    ...(to.length > 0 && { recipients: { to, cc: [] } }),
  })
  if (planned.sending === 'failed') throw cannotLeave(planned.sendError ?? '')
  if (sends.length === 0) throw sendsNothing()
  await tx
    .update(messages)
    .set(planned)
    .where(and(eq(messages.orgId, orgId), eq(messages.id, id)))
  await insertSends(tx, sends)
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
