import { and, desc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { mentions, notes } from '../database/tables/threads.ts'
import { plainTextOf } from '../formatting/plain-text.ts'

/** The newest note on a ticket that mentions the agent. */
export interface RowMention {
  noteId: string
  text: string
  /** Its author. */
  agentName: string
  createdAt: number
  /** The agent has seen all mentions on the ticket. */
  isSeen: boolean
}

/** Adds to each row the newest note that mentions the agent. */
export async function addMentions(
  read: Reader,
  { orgId, me, rows }: { orgId: string; me: string; rows: { id: string; mention?: RowMention }[] },
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  const found = await read
    .select({
      ticketId: mentions.ticketId,
      seenAt: mentions.seenAt,
      noteId: notes.id,
      text: notes.text,
      format: notes.format,
      agentName: notes.agentName,
      createdAt: notes.createdAt,
    })
    .from(mentions)
    .innerJoin(notes, eq(notes.id, mentions.noteId))
    .where(and(eq(mentions.orgId, orgId), eq(mentions.agentId, me), inArray(mentions.ticketId, ids)))
    .orderBy(desc(mentions.createdAt), desc(mentions.noteId))
  const byTicket = Map.groupBy(found, ({ ticketId }) => ticketId)
  for (const row of rows) {
    const [newest, ...older] = byTicket.get(row.id) ?? []
    if (!newest) continue
    const { noteId, agentName, createdAt } = newest
    const isSeen = [newest, ...older].every(({ seenAt }) => seenAt !== null)
    row.mention = { noteId, text: plainTextOf(newest, 'text'), agentName, createdAt, isSeen }
  }
}
