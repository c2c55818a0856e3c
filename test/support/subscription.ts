import { asc, eq } from 'drizzle-orm'
import {
  type EventChanges,
  events,
  type LogEvent,
  SPECIFIED_EVENTS,
  type WebhookEvent,
} from '../../server/database/tables/events.ts'
import { endpoints } from '../../server/database/tables/webhooks.ts'
import type { Deps } from '../../server/deps.ts'

/** Subscribes a disabled endpoint, so that deliveries are stored but not sent. */
export async function subscribe(
  deps: Deps,
  orgId: string,
  wanted: WebhookEvent[] = [...SPECIFIED_EVENTS],
): Promise<void> {
  const now = deps.clock.now()
  await deps.database.write(undefined, async (tx) => {
    await tx.insert(endpoints).values({
      id: deps.newId('whe'),
      orgId,
      url: 'https://hooks.example/in',
      events: wanted,
      secret: new Uint8Array(Buffer.from('sealed')),
      offAt: now,
      offReason: 'manual',
      createdAt: now,
      updatedAt: now,
    })
  })
}

export interface StoredEvent {
  number: number
  type: LogEvent
  ticketId: string
  changes: EventChanges | null
  /** The signed body as text. Empty if no endpoint was subscribed. */
  body: string
}

/** The organization's events, oldest first. */
export async function storedEvents(deps: Deps, orgId: string): Promise<StoredEvent[]> {
  const rows = await deps.database.read
    .select({
      number: events.number,
      type: events.type,
      ticketId: events.ticketId,
      changes: events.changes,
      body: events.body,
    })
    .from(events)
    .where(eq(events.orgId, orgId))
    .orderBy(asc(events.number))
  return rows.map((row) => ({ ...row, body: row.body ? new TextDecoder().decode(row.body) : '' }))
}
