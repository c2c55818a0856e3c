import { and, sql } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { command, statement, text } from '../database/statement.ts'
import type { MessageFormat } from '../database/tables/messages.ts'
import { type SuggestionState, suggestions } from '../database/tables/threads.ts'
import { tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import type { NewEvent } from '../events/events.ts'
import { plainTextOf } from '../formatting/plain-text.ts'
import { similarityOf } from '../text/similarity.ts'

/** With less in common, an agent who took a suggestion has written something else. */
const MIN_SIMILARITY = 0.2

/** A ticket whose row the unit has locked. */
interface LockedTicket {
  id: string
  orgId: string
  isSuggested: boolean
}

/** The message that answers a ticket. */
interface Answer {
  id: string
  /** Null if no agent wrote it. */
  agentId: string | null
  text: string
  format: MessageFormat
}

interface Closing {
  id: string
  state: Exclude<SuggestionState, 'open'>
  messageId?: string
  similarity?: number
  reason?: string
}

type Open = Pick<typeof suggestions.$inferSelect, 'id' | 'text' | 'format' | 'usedBy'>

/**
 * Closes what is suggested for a ticket, because it was answered, its customer wrote again, or messages moved. What the author
 * of the answer took into their composer became that answer, unless they wrote something else. Returns the events, which
 * the caller records after its own.
 */
export async function closeSuggestions(
  deps: Deps,
  tx: Transaction,
  ticket: LockedTicket,
  answer?: Answer,
): Promise<NewEvent[]> {
  if (!ticket.isSuggested) return []
  const open = await findOpen(tx, { orgId: ticket.orgId, ticketId: ticket.id })
  const became = answer && becameOf(open, answer)
  const closings = open.map(({ id }) => (became?.id === id ? became : { id, state: 'superseded' as const }))
  return closeSome(deps, tx, ticket, closings)
}

/** Closes some that are open. Returns the events. */
export async function closeSome(
  deps: Deps,
  tx: Transaction,
  { id: ticketId, orgId }: LockedTicket,
  closings: Closing[],
): Promise<NewEvent[]> {
  if (closings.length === 0) return []
  const closedAt = deps.clock.now()
  for (const { id, ...closing } of closings) {
    await tx
      .update(suggestions)
      .set({ ...closing, closedAt })
      .where(matches(suggestions, { orgId, ticketId, id }))
  }
  await saveIsSuggested(tx, { orgId, id: ticketId })
  return closings.map(({ id }) => ({
    type: 'suggestion.closed',
    ticketId,
    messageId: id,
    createdAt: closedAt,
  }))
}

/** Of those that the author took, the one that is most like the answer. */
function becameOf(open: Open[], answer: Answer): Closing | undefined {
  const { agentId, id: messageId } = answer
  const taken = open
    .filter(({ usedBy }) => agentId !== null && usedBy.includes(agentId))
    .map((suggestion) => {
      const isSame = isSameText(suggestion, answer)
      const similarity = isSame ? 1 : similarityOf(shownText(suggestion), shownText(answer))
      return { id: suggestion.id, isSame, similarity }
    })
    .sort((one, other) => Number(other.isSame) - Number(one.isSame) || other.similarity - one.similarity)
  const [best] = taken
  if (!best || best.similarity < MIN_SIMILARITY) return undefined
  const { id, isSame, similarity } = best
  return { id, state: isSame ? 'sent' : 'edited', messageId, similarity }
}

/**
 * But for surrounding space. The inbox sends Markdown, so a plain text that it sends unchanged is the same when it looks the
 * same.
 */
function isSameText(one: Pick<Answer, 'text' | 'format'>, other: Pick<Answer, 'text' | 'format'>): boolean {
  if (one.format === other.format) return one.text.trim() === other.text.trim()
  return withoutSpace(shownText(one)) === withoutSpace(shownText(other))
}

function shownText(written: Pick<Answer, 'text' | 'format'>): string {
  return plainTextOf(written, 'text')
}

function withoutSpace(shown: string): string {
  return shown.replaceAll(/\s+/g, ' ').trim()
}

const findOpen = statement('suggestions_open', { orgId: text, ticketId: text }, (tx: Transaction, p) =>
  tx
    .select({
      id: suggestions.id,
      text: suggestions.text,
      format: suggestions.format,
      usedBy: suggestions.usedBy,
    })
    .from(suggestions)
    // Literally, for the partial index.
    .where(and(matches(suggestions, { orgId: p.orgId, ticketId: p.ticketId }), sql`state = 'open'`)),
)

/** Lets the ticket know whether anything is suggested for it. */
export const saveIsSuggested = command('tickets_suggested', { orgId: text, id: text }, (tx, p) =>
  tx
    .update(tickets)
    .set({
      isSuggested: sql`exists (select 1 from suggestions own
        where own.org_id = ${p.orgId} and own.ticket_id = ${p.id} and own.state = 'open')`,
    })
    .where(matches(tickets, { orgId: p.orgId, id: p.id })),
)
