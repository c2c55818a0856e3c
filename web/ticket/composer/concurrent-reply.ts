import type { MessageEntry, TicketDetail } from '../ticket-query.ts'
import { sentHere, TAKEN_BACK_WITHIN_MS } from './replies.ts'

/** What somebody has answered meanwhile. */
export type Answer = Pick<MessageEntry, 'text' | 'createdAt' | 'agentName'> & { isMine?: true }

/** What the agent has answered from another page: a reply that waits there, or one that has gone. */
export function answerOfMine(
  { waiting, timeline }: TicketDetail,
  me: string,
  { knownReplies, lastMessageId }: { knownReplies: readonly string[]; lastMessageId: string },
): Answer | undefined {
  const known = new Set([...knownReplies, ...sentHere()].map(numberOf))
  const isNews = ({ id, agentId }: { id: string; agentId?: string }) =>
    agentId === me && !known.has(numberOf(id))
  const reply = waiting.findLast((one) => !one.isHeld && isNews(one))
  if (reply) {
    const sentAt = new Date(Date.parse(reply.sendAt) - TAKEN_BACK_WITHIN_MS)
    return { text: reply.text, createdAt: sentAt.toISOString(), isMine: true }
  }
  const newest = timeline.findLast((entry) => entry.kind === 'message')
  const isAnswered =
    newest?.kind === 'message' && newest.id !== lastMessageId && newest.role === 'agent' && isNews(newest)
  return isAnswered ? { text: newest.text, createdAt: newest.createdAt, isMine: true } : undefined
}

/** A reply and the message that it becomes have the same number. */
function numberOf(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}
