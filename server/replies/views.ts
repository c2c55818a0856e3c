import type { SendingState } from '../database/tables/messages.ts'
import type { HeldBecause } from '../database/tables/scheduled-messages.ts'
import { isoTime } from '../dates.ts'
import { viewMessage } from '../tickets/views.ts'
import type { ScheduledMessage, StoredMessage } from './queries.ts'
import type { OutgoingMessage } from './schedule-message.ts'
import type { DeliveryState } from './schemas.ts'

const STATE_OF: Record<SendingState, DeliveryState> = {
  queued: 'waiting',
  sending: 'sending',
  sent: 'sent',
  failed: 'failed',
  bounced: 'bounced',
}

const HELD_REASON: Record<HeldBecause, string> = {
  answered: 'Another message was sent after the newest one its author had seen.',
  disabled: 'The agent who wrote it is disabled, or the API key is revoked.',
  too_long: 'It was taken back, but the text did not fit into the agent’s draft.',
}

/** A message as `/v1` shows it, and how far it is on its way to the customer. */
export function viewOutgoing({ scheduled, sent }: OutgoingMessage) {
  if (sent) return { ...viewMessage(sent), ...viewSentDelivery(sent) }
  return { ...viewMessage({ ...scheduled, role: 'agent' }), delivery: viewScheduledDelivery(scheduled) }
}

/** Messages of customers are not delivered to anyone. */
function viewSentDelivery({ sending, sendError }: StoredMessage) {
  if (sending === null) return {}
  return { delivery: { state: STATE_OF[sending], ...(sendError !== null && { reason: sendError }) } }
}

function viewScheduledDelivery({ isHeld, heldBecause, sendAt }: ScheduledMessage) {
  const times = { sendAt: isoTime(sendAt) }
  if (!isHeld) return { state: 'waiting' as const, ...times }
  return { state: 'held' as const, ...times, reason: HELD_REASON[heldBecause ?? 'answered'] }
}
