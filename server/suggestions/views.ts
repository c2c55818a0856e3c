import { viewAttachments, viewInboxAttachments } from '../attachments/views.ts'
import { isoTime, isoTimeOrNull } from '../dates.ts'
import type { Suggestion } from './queries.ts'

/** As `/v1` and webhooks show it. */
export function viewV1Suggestion(suggestion: Suggestion) {
  const { id, ticketId, state, by, text, format, answers, sources, confidence } = suggestion
  const { messageId, similarity, reason, createdAt, closedAt } = suggestion
  return {
    id,
    ticketId,
    state,
    by,
    text,
    format,
    attachments: viewAttachments(suggestion.attachments),
    answers,
    sources,
    confidence,
    ...(messageId !== null && { messageId }),
    ...(similarity !== null && { similarity }),
    ...(reason !== '' && { reason }),
    createdAt: isoTime(createdAt),
    closedAt: isoTimeOrNull(closedAt),
  }
}

/** One that is open, as the inbox shows it. */
export function viewOpenSuggestion(suggestion: Suggestion) {
  const { id, by, text, format, attachments, answers, sources, confidence, usedBy, createdAt } = suggestion
  return {
    id,
    by: viewAuthor(by, suggestion.byId),
    text,
    format,
    ...viewInboxAttachments(attachments),
    answers,
    sources,
    confidence,
    usedBy,
    createdAt: isoTime(createdAt),
  }
}

/** Who suggests. A key that was deleted has no name. */
export function viewAuthor({ kind, name = '' }: Suggestion['by'], id: string) {
  return { kind: kind === 'program' || kind === 'agent' ? kind : ('key' as const), id, name }
}
