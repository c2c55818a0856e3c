import { viewInboxAttachments } from '../attachments/views.ts'
import type { EmailAddress, MessageFormat } from '../database/tables/messages.ts'
import type { HeldBecause, Recipients } from '../database/tables/scheduled-messages.ts'
import { isoTime } from '../dates.ts'
import { viewMessage, viewSentMessage } from '../tickets/views.ts'
import type { WaitingTicket } from './new-conversation.ts'
import type { ScheduledMessage } from './queries.ts'
import type { OutgoingMessage } from './schedule-message.ts'

const HELD_REASON: Record<HeldBecause, string> = {
  answered: 'Another message was sent after the newest one its author had seen.',
  customer_wrote: 'The customer wrote after the newest message its author had seen.',
  disabled: 'The agent who wrote it is disabled, the API key is revoked, or the program is disconnected.',
  too_long: 'It was taken back, but the text did not fit into the agent’s draft.',
  not_by_email: 'It has recipients, and the ticket was merged into one that is not answered by email.',
}

/** A message as `/v1` shows it, and how far it is on its way to the customer. */
export function viewOutgoing({ scheduled, sent, attachments }: OutgoingMessage) {
  if (sent) return viewSentMessage({ ...sent, attachments })
  const message = viewMessage({ ...scheduled, role: 'agent', attachments })
  return { ...message, delivery: viewScheduledDelivery(scheduled) }
}

export function viewEdits(edits: { text: string; format: MessageFormat; editedAt: number }[]) {
  return { data: edits.map((edit) => ({ ...edit, editedAt: isoTime(edit.editedAt) })) }
}

interface GivenAddress {
  name?: string
  address: string
}

/** Recipients of a request. */
export function withNames({
  to,
  cc = [],
  bcc = [],
}: {
  to: GivenAddress[]
  cc?: GivenAddress[]
  bcc?: GivenAddress[]
}): Recipients & { bcc: EmailAddress[] | undefined } {
  return {
    to: to.map(withName),
    cc: cc.map(withName),
    bcc: bcc.length > 0 ? bcc.map(withName) : undefined,
  }
}

/** A recipient of a request; the name can be missing. */
export function withName({ name = '', address }: GivenAddress): EmailAddress {
  return { name, address }
}

export function viewWaitingTicket({ opening, recipients, attachments, ...waiting }: WaitingTicket) {
  const { id: messageId, agentName, text, format, sendAt, isLater, isHeld } = waiting
  return {
    messageId,
    agentName,
    to: recipients?.to ?? [],
    cc: recipients?.cc ?? [],
    ...(recipients?.bcc && { bcc: recipients.bcc }),
    text,
    format,
    ...viewInboxAttachments(attachments),
    ...opening,
    sendAt: isoTime(sendAt),
    ...(isLater && { isLater: true as const }),
    isHeld,
  }
}

function viewScheduledDelivery({ isHeld, heldBecause, sendAt }: ScheduledMessage) {
  const times = { sendAt: isoTime(sendAt) }
  if (!isHeld) return { state: 'waiting' as const, ...times }
  return { state: 'held' as const, ...times, reason: HELD_REASON[heldBecause ?? 'answered'] }
}
