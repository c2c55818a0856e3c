import { and, eq, inArray } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Channels } from '../channels/channel.ts'
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

/** What belongs to a row that moves: the column that says to which one. */
interface Owned {
  table: PgTable & Record<'orgId' | 'ticketId', PgColumn>
  ownerId: PgColumn
  kind: MovableKind
}

function ownedRows({ all }: Channels): Owned[] {
  const ofChannels = all.flatMap(({ rowsOfMessages = [] }) => rowsOfMessages)
  return [
    ...[messageContents, messageEdits, sends, notifications, ...ofChannels].map((table) => ({
      table,
      ownerId: table.messageId,
      kind: 'message' as const,
    })),
    { table: mentions, ownerId: mentions.noteId, kind: 'note' },
    { table: notifications, ownerId: notifications.messageId, kind: 'note' },
    ...MOVABLE_KINDS.map((kind) => ({ table: attachments, ownerId: attachments.ownerId, kind })),
  ]
}

/** Files, mentions, notifications and all other rows whose message or note is in the other ticket. */
async function followOwners(
  { channels }: Pick<Deps, 'channels'>,
  tx: Transaction,
  { orgId, from, into: ticketId }: Way,
): Promise<void> {
  for (const { table, ownerId, kind } of ownedRows(channels)) {
    const owners = MOVABLE[kind]
    const there = tx
      .select({ id: owners.id })
      .from(owners)
      .where(and(eq(owners.orgId, orgId), eq(owners.ticketId, ticketId)))
    await tx
      .update<PgTable>(table)
      .set({ ticketId })
      .where(and(eq(table.orgId, orgId), eq(table.ticketId, from), inArray(ownerId, there)))
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
