import { index, integer, json, primaryKey, table, text } from '../columns.ts'
import { tickets } from './tickets.ts'

/** `wake`: ends a snooze. */
export const TIMER_KINDS = ['wake'] as const
export type TimerKind = (typeof TIMER_KINDS)[number]

/** What happens to a ticket at a time, unless something else happens to it before. The row is deleted in that unit. */
export const timers = table(
  'timers',
  {
    orgId: text().notNull(),
    ticketId: text()
      .notNull()
      .references(() => tickets.id),
    kind: text().$type<TimerKind>().notNull(),
    /** Tells several timers of a kind on a ticket apart; empty where there is only one. */
    ref: text().notNull().default(''),
    dueAt: integer().notNull(),
    /** What the kind needs to know. */
    data: json().$type<Record<string, string>>().notNull(),
  },
  (row) => [primaryKey({ columns: [row.ticketId, row.kind, row.ref] }), index('timers_due').on(row.dueAt)],
)
