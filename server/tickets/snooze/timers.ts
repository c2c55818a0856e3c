import { asc, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { command, insertOf, integer, statement, text } from '../../database/statement.ts'
import { type TimerKind, timers } from '../../database/tables/timers.ts'
import type { Deps } from '../../deps.ts'
import { isHeld } from '../../jobs/held.ts'
import { runLanes } from '../../jobs/run-lanes.ts'
import type { Loop } from '../../loop.ts'
import { lockTicket, type Ticket } from '../queries.ts'

export type Timer = typeof timers.$inferSelect

/** What a kind of timer does, in the unit that has locked the ticket and deleted the timer. */
type OnDue = (deps: Deps, tx: Transaction, due: { timer: Timer; ticket: Ticket }) => Promise<void>

/** Replaces the timer of the same kind and `ref`, if the ticket has one. The unit has locked the ticket. */
export const setTimers = insertOf(timers, {
  onConflict: {
    target: [timers.ticketId, timers.kind, timers.ref],
    set: { dueAt: sql`excluded.due_at`, data: sql`excluded.data` },
  },
})

/** The unit has locked the ticket. */
export const deleteTimers = command(
  'timers_delete',
  { orgId: text, ticketId: text, kind: text },
  (tx, { orgId, ticketId, kind }) => tx.delete(timers).where(matches(timers, { orgId, ticketId, kind })),
)

/** Runs timers when they are due, also those that became due while the server was off: each once, one after the other. */
export function startTimers(deps: Deps, handlers: Record<TimerKind, OnDue>): Loop {
  return runLanes(deps, {
    name: 'timers',
    tables: [timers],
    atOnce: 1,
    failure: 'timer_failed',
    async find(read, { limit, held }) {
      const next = await nextTimers(read, { limit, held })
      return next.map((timer) => ({ ...timer, id: `${timer.kind} ${timer.ref} ${timer.ticketId}` }))
    },
    async run({ orgId, ticketId, kind, ref, dueAt }) {
      await deps.database.write(orgId, async (tx) => {
        const [ticket] = await lockTicket(tx, { orgId, id: ticketId })
        const [timer] = await takeTimer(tx, { orgId, ticketId, kind, ref, dueAt })
        if (ticket && timer) await handlers[kind](deps, tx, { timer, ticket })
      })
      return 0
    },
  })
}

const nextTimers = statement('timers_next', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .select()
    .from(timers)
    .where(isHeld(timers.ticketId, p.held))
    .orderBy(asc(timers.dueAt), sql`${timers.ticketId} limit ${p.limit}`),
)

/** Nothing if it was set to another time or deleted meanwhile. */
const takeTimer = statement(
  'timers_take',
  { orgId: text, ticketId: text, kind: text, ref: text, dueAt: integer },
  (tx, { orgId, ticketId, kind, ref, dueAt }) =>
    tx.delete(timers).where(matches(timers, { orgId, ticketId, kind, ref, dueAt })).returning(),
)
