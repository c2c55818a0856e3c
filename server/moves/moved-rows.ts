import { and, eq, inArray } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { insertOf } from '../database/statement.ts'
import { attachments } from '../database/tables/attachments.ts'
import { messageContents, messageEdits, messages } from '../database/tables/messages.ts'
import { type MovedValues, movedRows, moves } from '../database/tables/moves.ts'
import { notifications } from '../database/tables/notifications.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { sends } from '../database/tables/sends.ts'
import { mentions, notes } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'

export type Move = typeof moves.$inferSelect

/** Rows with ids of their own that move from one ticket to another. */
const MOVABLE = { message: messages, note: notes, scheduledMessage: scheduledMessages } as const
type MovableKind = keyof typeof MOVABLE
const MOVABLE_KINDS: MovableKind[] = ['message', 'note', 'scheduledMessage']

/** Rows of a message, whatever its channel. */
const ROWS_OF_MESSAGES = [messageContents, messageEdits, sends, notifications]

interface Way {
  orgId: string
  from: string
  into: string
}

/** Moves the rows that a move lists and that are in the ticket `from`, with all that belongs to them. Ids and times stay. */
export async function moveRows(
  deps: Pick<Deps, 'channels'>,
  tx: Transaction,
  { moveId, ...way }: Way & { moveId: string },
): Promise<void> {
  const { orgId, from, into: ticketId } = way
  for (const kind of MOVABLE_KINDS) {
    const table = MOVABLE[kind]
    const listed = tx
      .select({ id: movedRows.rowId })
      .from(movedRows)
      .where(matches(movedRows, { orgId, moveId, kind }))
    await tx
      .update(table)
      .set({ ticketId })
      .where(and(eq(table.orgId, orgId), eq(table.ticketId, from), inArray(table.id, listed)))
  }
  await followOwners(deps, tx, way)
}

/** Files, mentions, notifications and all other rows whose message or note is in the other ticket. */
async function followOwners(
  { channels }: Pick<Deps, 'channels'>,
  tx: Transaction,
  { orgId, from, into: ticketId }: Way,
): Promise<void> {
  const idsIn = (table: (typeof MOVABLE)[MovableKind]) =>
    tx
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.orgId, orgId), eq(table.ticketId, ticketId)))
  for (const table of [
    ...ROWS_OF_MESSAGES,
    ...channels.all.flatMap((channel) => channel.rowsOfMessages ?? []),
  ]) {
    await tx
      .update(table)
      .set({ ticketId })
      .where(and(eq(table.orgId, orgId), eq(table.ticketId, from), inArray(table.messageId, idsIn(messages))))
  }
  const ofNotes = idsIn(notes)
  await tx
    .update(mentions)
    .set({ ticketId })
    .where(and(eq(mentions.orgId, orgId), eq(mentions.ticketId, from), inArray(mentions.noteId, ofNotes)))
  await tx
    .update(notifications)
    .set({ ticketId })
    .where(
      and(
        eq(notifications.orgId, orgId),
        eq(notifications.ticketId, from),
        inArray(notifications.messageId, ofNotes),
      ),
    )
  for (const kind of MOVABLE_KINDS) {
    await tx
      .update(attachments)
      .set({ ticketId })
      .where(
        and(
          eq(attachments.orgId, orgId),
          eq(attachments.ticketId, from),
          inArray(attachments.ownerId, idsIn(MOVABLE[kind])),
        ),
      )
  }
}

/** Lists everything in a ticket as what a move moves. `values` are those of rows that it changes as well. */
export async function listRows(
  tx: Transaction,
  { orgId, moveId, ticketId }: { orgId: string; moveId: string; ticketId: string },
  values: ReadonlyMap<string, MovedValues>,
): Promise<void> {
  for (const kind of MOVABLE_KINDS) {
    const table = MOVABLE[kind]
    const found = await tx
      .select({ rowId: table.id })
      .from(table)
      .where(and(eq(table.orgId, orgId), eq(table.ticketId, ticketId)))
    await insertMovedRows(
      tx,
      found.map(({ rowId }) => ({ orgId, moveId, kind, rowId, values: values.get(rowId) ?? null })),
    )
  }
}

/** By `deps.actor`, now. */
export function newMove(deps: Deps, orgId: string, move: Pick<Move, 'kind' | 'fromId' | 'intoId'>): Move {
  const { kind: actorKind, id, name: actorName } = deps.actor
  const createdAt = deps.clock.now()
  return {
    id: deps.newId('mov'),
    orgId,
    ...move,
    actorKind,
    actorId: id ?? null,
    actorName,
    createdAt,
    undoneAt: null,
  }
}

export const insertMoves = insertOf(moves)
export const insertMovedRows = insertOf(movedRows)

/** Whether nothing is left in a ticket that a move could move. */
export async function isEmpty(
  tx: Transaction,
  { orgId, ticketId }: { orgId: string; ticketId: string },
): Promise<boolean> {
  for (const kind of MOVABLE_KINDS) {
    const table = MOVABLE[kind]
    const some = await tx
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.orgId, orgId), eq(table.ticketId, ticketId)))
      .limit(1)
    if (some.length > 0) return false
  }
  return true
}
