import { eq } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { type EmailAddress, type MessageEmail, messages } from '../database/tables/messages.ts'
import { type FrozenEmail, type RecipientOutcome, sends } from '../database/tables/sends.ts'
import type { Deps } from '../deps.ts'
import { addressKey, withoutRepetitions } from './email-addresses.ts'
import { conversationOf, envelopeOf, messageEmailOf, withoutBrackets } from './email-content.ts'
import type { Mailbox, Send } from './queries.ts'
import type { EmailSend } from './send-content.ts'
import { mailboxLane, reasonToWait } from './send-lanes.ts'

interface Resend {
  mailbox: Mailbox
  /** Instead of those who didn't get it; empty for the same ones. */
  to: EmailAddress[]
  /** Undefined for a message that no agent wrote. */
  agentName: string | undefined
}

/**
 * Sends an email again to the recipients who didn't get it, or to others in their place, with everything else as it was
 * frozen: the same bytes if no one is replaced. Those who got it don't get it twice.
 */
export async function resend(
  deps: Deps,
  tx: Transaction,
  send: EmailSend,
  { mailbox, to, agentName }: Resend,
): Promise<void> {
  const { id, ticketId, messageId } = send
  const now = deps.clock.now()
  const reached = send.outcomes.filter(({ state }) => state === 'sent')
  const recipients = to.length > 0 ? replaced(send.content, reached, to) : {}
  // If the mailbox was removed, the email leaves through another one, and answers go there.
  const isMoved = mailbox.id !== send.laneId
  const envelope = isMoved ? envelopeOf(deps, mailbox, { ticketId, messageId, agentName }) : {}
  const content: FrozenEmail = { ...send.content, ...recipients, ...envelope }
  const waits = reasonToWait(mailboxLane(mailbox))
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

/** Whether a recipient didn't get it, and no attempt is left. */
export function canResend({ state, outcomes }: Pick<Send, 'state' | 'outcomes'>): boolean {
  if (state === 'waiting' || state === 'sending') return false
  return state !== 'sent' || outcomes.some((outcome) => outcome.state !== 'sent')
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

function replaced(
  { to, cc }: FrozenEmail,
  reached: RecipientOutcome[],
  others: EmailAddress[],
): Pick<FrozenEmail, 'to' | 'cc'> {
  const keys = new Set(reached.map(({ address }) => addressKey(address)))
  const isReached = ({ address }: EmailAddress) => keys.has(addressKey(address))
  const newTo = withoutRepetitions([...to.filter(isReached), ...others])
  return { to: newTo, cc: withoutRepetitions(cc.filter(isReached), newTo) }
}
