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

/** The last snooze of a ticket: what its row says while it is away, and when it is back. */
export const snoozes = table('snoozes', {
  ticketId: text()
    .primaryKey()
    .references(() => tickets.id),
  orgId: text().notNull(),
  /** Null for anyone but an agent. */
  agentId: text(),
  agentName: text().notNull(),
  /** Can be empty. */
  why: text().notNull(),
  until: integer().notNull(),
  /** When it came back. Null while it is away, and when an agent ended the snooze. */
  wokenAt: integer(),
})
