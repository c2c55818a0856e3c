import { and, asc, eq, inArray, isNull, ne } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import type { MessageFormat } from '../database/tables/messages.ts'
import { mentions } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { type Fault, invalid } from '../errors.ts'
import { mentionsIn } from '../formatting/markdown.ts'
import { requireTicket } from '../tickets/queries.ts'
import { ofTicket } from '../tickets/rows-of-ticket.ts'
import { addFollowers } from './followers.ts'

const MAX_MENTIONS = 20

interface WrittenNote {
  id: string
  orgId: string
  ticketId: string
  /** Empty if a key wrote it that belongs to no one. */
  agentId: string
  text: string
  format: MessageFormat
  createdAt: number
}

/**
 * Keeps whom a new note mentions, as its text says: they and its author follow the ticket. Throws 400 for more than 20, and
 * names those who can't see the ticket.
 */
export async function saveMentions(tx: Transaction, note: WrittenNote): Promise<void> {
  const { orgId, ticketId, agentId: author, createdAt } = note
  const mentioned = note.format === 'markdown' ? await requireMentioned(tx, orgId, note.text) : []
  const others = mentioned.filter((id) => id !== author)
  const row = { orgId, noteId: note.id, ticketId, createdAt }
  if (others.length > 0) await tx.insert(mentions).values(others.map((agentId) => ({ ...row, agentId })))
  const agentIds = author === '' ? others : [author, ...others]
  await addFollowers(tx, { orgId, ticketId, agentIds, at: createdAt })
}

/** Ids of the agents that a text mentions, each once. */
async function requireMentioned(tx: Transaction, orgId: string, written: string): Promise<string[]> {
  const names = new Map(mentionsIn(written).map(({ id, name }) => [id, name]))
  const ids = [...names.keys()]
  if (ids.length === 0) return []
  if (ids.length > MAX_MENTIONS) {
    const detail = `A note can mention at most ${MAX_MENTIONS} people.`
    throw invalid([{ pointer: '/text', code: 'too_many', detail }])
  }
  const found = await tx
    .select({ id: agents.id })
    .from(agents)
    .where(
      and(
        eq(agents.orgId, orgId),
        inArray(agents.id, ids),
        isNull(agents.disabledAt),
        ne(agents.role, 'program'),
      ),
    )
  const able = new Set(found.map(({ id }) => id))
  const faults = ids.flatMap((id): Fault[] => {
    const detail = `${names.get(id)} can't see this ticket. Remove the mention.`
    return able.has(id) ? [] : [{ pointer: '/text', code: 'cannot_see_ticket', detail }]
  })
  if (faults.length > 0) throw invalid(faults)
  return ids
}

interface OfAgent {
  orgId: string
  agentId: string
  ticketId: string
}

/** Marks the agent's mentions on a ticket as seen. Throws 404. */
export async function markMentionsSeen(deps: Deps, { orgId, agentId, ticketId }: OfAgent): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    await requireTicket(tx, orgId, ticketId)
    await tx
      .update(mentions)
      .set({ seenAt: deps.clock.now() })
      .where(and(matches(mentions, { orgId, agentId, ticketId }), isNull(mentions.seenAt)))
  })
}

/** The notes on a ticket that mention an agent, oldest first. */
export const mentionsOf = statement('mentions_of', { ...ofTicket, agentId: text }, (read: Reader, p) =>
  read
    .select({ noteId: mentions.noteId, seenAt: mentions.seenAt })
    .from(mentions)
    .where(matches(mentions, { orgId: p.orgId, agentId: p.agentId, ticketId: p.ticketId }))
    .orderBy(asc(mentions.createdAt), asc(mentions.noteId)),
)
