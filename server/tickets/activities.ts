import type { Transaction } from '../database/database.ts'
import { rowsCommand } from '../database/statement.ts'
import type { ActorKind } from '../database/tables/audit.ts'
import { activities, type FieldChange } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'

/** What changed on one ticket, all at once. */
export interface TicketActivity {
  ticketId: string
  changes: FieldChange[]
}

/** Writes a line of the thread for each ticket, in the unit of the change and in the name of `deps.actor`. */
export async function recordActivities(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { done, now }: { done: TicketActivity[]; now: number },
): Promise<void> {
  const { kind, id, name } = deps.actor
  await insertActivities(
    tx,
    done.map(({ ticketId, changes }) => ({
      id: deps.newId('act'),
      orgId,
      ticketId,
      actorKind: kind,
      actorId: id ?? null,
      actorName: name,
      changes,
      createdAt: now,
    })),
  )
}

const insertActivities = rowsCommand<{
  id: string
  orgId: string
  ticketId: string
  actorKind: ActorKind
  actorId: string | null
  actorName: string
  changes: FieldChange[]
  createdAt: number
}>('activities_insert', (tx, rows) =>
  tx.insert(activities).values(
    rows.map((p) => ({
      id: p.id,
      orgId: p.orgId,
      ticketId: p.ticketId,
      actorKind: p.actorKind,
      actorId: p.actorId,
      actorName: p.actorName,
      changes: p.changes,
      createdAt: p.createdAt,
    })),
  ),
)
