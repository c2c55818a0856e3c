import type { Transaction } from '../database/database.ts'
import { insertOf } from '../database/statement.ts'
import { activities, type FieldChange } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'

/** What changed on one ticket in one change. */
interface TicketActivity {
  ticketId: string
  changes: FieldChange[]
}

/** Adds a line to the thread of each ticket, by `deps.actor`, in the unit of the change. */
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

const insertActivities = insertOf(activities)
