import { isoTime } from '../../dates.ts'
import type { EventActor } from '../actors.ts'
import { positionAt } from '../positions.ts'
import type { PublicEvent } from './list-events.ts'

/** An event of `/v1/events`. What it doesn't have is undefined. */
export function viewEvent(
  event: PublicEvent,
  { logId, by, body }: { logId: string; by: EventActor; body: Uint8Array | undefined },
) {
  const messageId = event.messageId ?? undefined
  const isA = (prefix: string) => messageId?.startsWith(prefix) === true
  const [isNote, isSuggestion] = [isA('not_'), isA('sug_')]
  return {
    position: positionAt(logId, event.number),
    event: event.type,
    createdAt: isoTime(event.createdAt),
    ticketId: event.ticketId === '' ? undefined : event.ticketId,
    messageId: isNote || isSuggestion ? undefined : messageId,
    noteId: isNote ? messageId : undefined,
    suggestionId: isSuggestion ? messageId : undefined,
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
