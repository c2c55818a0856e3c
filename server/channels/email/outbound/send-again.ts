import { eq } from 'drizzle-orm'
import { addressKey, withoutRepetitions } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import type { FrozenEmail } from '../../../database/tables/mailboxes.ts'
import { type EmailAddress, type MessageEmail, messages } from '../../../database/tables/messages.ts'
import { type RecipientOutcome, sends } from '../../../database/tables/sends.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { Resend, Send } from '../../channel.ts'
import { conversationOf, envelopeOf, isByEmail, messageEmailOf, withoutBrackets } from './email-content.ts'
import { emailWay, NO_MAILBOX, reasonToWait } from './email-way.ts'
import { requireRecipients } from './recipients.ts'

/**
 * Sends an email again to the recipients who didn't get it, or to others in their place, with everything else as it was
 * frozen: the same bytes if no one is replaced. Those who got it don't get it twice. Throws 400 for wrong recipients, and
 * 409 without a mailbox.
 */
export async function resendEmail(
  deps: Deps,
  tx: Transaction,
  send: Send,
  { to, agentName, mailboxId }: Resend,
): Promise<void> {
  if (!isByEmail(send)) throw new Error(`The send ${send.id} isn't an email.`)
  const { mailbox, own } = await emailWay(tx, send.orgId, send.laneId || mailboxId)
  const others = to.length > 0 ? requireRecipients({ to, cc: [] }, own, '').to : []
  if (!mailbox) throw new AppError(409, 'no_transport', NO_MAILBOX)
  const { id, ticketId, messageId } = send
  const now = deps.clock.now()
  const reached = send.outcomes.filter(({ state }) => state === 'sent')
  const recipients = others.length > 0 ? replaced(send.content, reached, others) : {}
  // If the mailbox was removed, the email leaves through another one, and answers go there.
  const isMoved = mailbox.id !== send.laneId
  const envelope = isMoved ? envelopeOf(deps, mailbox, { ticketId, messageId, agentName }) : {}
  const content: FrozenEmail = { ...send.content, ...recipients, ...envelope }
  const waits = reasonToWait(mailbox)
  await tx
    .update(sends)
    .set({
      content,
      laneId: mailbox.id,
      conversation: conversationOf(ticketId, content),
      ...(isMoved && { externalId: withoutBrackets(content.messageId) }),
      outcomes: reached,
      state: 'waiting',
      dueAt: now,
      attempts: 0,
      error: waits ?? '',
      finishedAt: null,
    })
    .where(eq(sends.id, id))
  await markQueued(tx, messageId, {
    sendError: waits ?? null,
    email: messageEmailOf(deps, content, ticketId),
  })
}

async function markQueued(
  tx: Transaction,
  messageId: string,
  summary: { sendError: string | null; email: MessageEmail },
): Promise<void> {
  await tx
    .update(messages)
    .set({ sending: 'queued', ...summary })
    .where(eq(messages.id, messageId))
}

/** Who takes the place of a Bcc is one as well. */
function replaced(
  { to, cc, bcc = [] }: FrozenEmail,
  reached: RecipientOutcome[],
  others: EmailAddress[],
): Pick<FrozenEmail, 'to' | 'cc' | 'bcc'> {
  const keys = new Set(reached.map(({ address }) => addressKey(address)))
  const isReached = ({ address }: EmailAddress) => keys.has(addressKey(address))
  const isForBcc = [...to, ...cc].every(isReached)
  const newTo = isForBcc ? to : withoutRepetitions([...to.filter(isReached), ...others])
  const newCc = isForBcc ? cc : withoutRepetitions(cc.filter(isReached), newTo)
  const hidden = [...bcc.filter(isReached), ...(isForBcc ? others : [])]
  return { to: newTo, cc: newCc, bcc: withoutRepetitions(hidden, [...newTo, ...newCc]) }
}
