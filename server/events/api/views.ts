import { isoTime } from '../../dates.ts'
import { positionAt } from '../positions.ts'
import type { EventActor } from './actors.ts'
import type { PublicEvent } from './list-events.ts'

/** An event of `/v1/events`. What it doesn't have is undefined. */
export function viewEvent(
  event: PublicEvent,
  { logId, by, body }: { logId: string; by: EventActor; body: Uint8Array | undefined },
) {
  const messageId = event.messageId ?? undefined
  const isNote = messageId?.startsWith('not_') === true
  return {
    position: positionAt(logId, event.number),
    event: event.type,
    createdAt: isoTime(event.createdAt),
    ticketId: event.ticketId === '' ? undefined : event.ticketId,
    messageId: isNote ? undefined : messageId,
    noteId: isNote ? messageId : undefined,
    customerId: event.customerId ?? undefined,
    into: event.changes?.into,
    changes: changesOf(event),
    by,
    body: body && Buffer.from(body).toString(),
  }
}

/** What the log says of a change; undefined for other events. */
export function changesOf({ type, changes }: Pick<PublicEvent, 'type' | 'changes'>) {
  if (type !== 'ticket.updated') return undefined
  const { into: _, ...fields } = changes ?? {}
  return fields
}
