import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { notificationSettings, REASONS, type Reason, type Ways } from '../database/tables/notifications.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { startOfDay } from '../search/start-of-day.ts'

const MAX_PAUSE_MS = 48 * 3_600_000
const SUMMARY_TIME = '08:00'

/** What is on unless an agent chooses otherwise. A saved view has its own choice, at its bell. */
const DEFAULT_WAYS: Record<Exclude<Reason, 'view'>, Ways> = {
  mentioned: { push: true, email: true, sound: true },
  assigned: { push: true, email: true, sound: true },
  customer_wrote: { push: true, email: false, sound: true },
  followed: { push: true, email: false, sound: false },
  unassigned: { push: true, email: false, sound: 'chats' },
  snooze_ended: { push: true, email: true, sound: false },
  failed: { push: true, email: true, sound: false },
}
export type ChosenReason = keyof typeof DEFAULT_WAYS
export const CHOSEN_REASONS = REASONS.filter((reason) => reason !== 'view')

export type Settings = typeof notificationSettings.$inferSelect

/** What an agent is notified of, and how. */
export interface Choices extends Pick<Settings, 'showsText' | 'pausedUntil' | 'hasSummary'> {
  ways: Record<ChosenReason, Ways>
}

interface ChoicesChange {
  ways?: Partial<Record<ChosenReason, Partial<Ways>>> | undefined
  showsText?: boolean | undefined
  /** Milliseconds since 1970; null ends the pause. */
  pausedUntil?: number | null | undefined
  hasSummary?: boolean | undefined
  /** Of the browser; a summary comes at 8:00 there. */
  timeZone?: string | undefined
}

interface Owner {
  orgId: string
  agentId: string
}

/** The row of an agent. There is none before their first choice or email. */
export async function findSettings(read: Reader | Transaction, owner: Owner): Promise<Settings | undefined> {
  const [row] = await read.select().from(notificationSettings).where(matches(notificationSettings, owner))
  return row
}

/** The choices in a row; without one, the defaults. */
export function choicesOf(row: Settings | undefined): Choices {
  const ways = Object.fromEntries(
    CHOSEN_REASONS.map((reason) => [reason, { ...DEFAULT_WAYS[reason], ...row?.ways[reason] }]),
  ) as Choices['ways']
  const { showsText = true, pausedUntil = null, hasSummary = false } = row ?? {}
  return { ways, showsText, pausedUntil, hasSummary }
}

/** Whether an open tab plays a sound for it. */
export function isHeard({ ways }: Choices, { reason, isChat }: { reason: Reason; isChat: boolean }): boolean {
  const sound = reason === 'view' ? false : ways[reason].sound
  return sound === 'chats' ? isChat : sound
}

/** Throws 400 for a pause of more than two days and an unknown time zone. */
export async function changeChoices(deps: Deps, owner: Owner, change: ChoicesChange): Promise<Choices> {
  const now = deps.clock.now()
  const { pausedUntil, timeZone } = change
  if (pausedUntil != null && pausedUntil > now + MAX_PAUSE_MS) {
    const detail = 'A pause can last two days at most.'
    throw invalid([{ pointer: '/pausedUntil', code: 'too_late', detail }])
  }
  if (timeZone !== undefined && startOfDay('2026-01-01', timeZone) === undefined) {
    const detail = 'Must be the name of a time zone, such as Europe/Berlin.'
    throw invalid([{ pointer: '/timeZone', code: 'unknown_time_zone', detail }])
  }
  return deps.database.write(owner.orgId, async (tx) => {
    await addSettings(tx, owner)
    const before = await findSettings(tx, owner)
    if (!before) throw new Error(`The settings of ${owner.agentId} were not stored.`)
    const ways = { ...before.ways }
    for (const reason of CHOSEN_REASONS) {
      const changed = change.ways?.[reason]
      if (changed) ways[reason] = { ...ways[reason], ...changed }
    }
    const after = {
      ways,
      showsText: change.showsText ?? before.showsText,
      pausedUntil: pausedUntil === undefined ? before.pausedUntil : pausedUntil,
      hasSummary: change.hasSummary ?? before.hasSummary,
      timeZone: timeZone ?? before.timeZone,
    }
    const summaryDueAt = after.hasSummary ? nextSummaryAt(after.timeZone, now) : null
    const [saved] = await tx
      .update(notificationSettings)
      .set({ ...after, summaryDueAt })
      .where(matches(notificationSettings, owner))
      .returning()
    return choicesOf(saved)
  })
}

/** Adds the row of an agent, with the defaults, unless there is one. */
export async function addSettings(tx: Transaction, { orgId, agentId }: Owner): Promise<void> {
  await tx.insert(notificationSettings).values({ orgId, agentId, ways: {} }).onConflictDoNothing()
}

/** The next 8:00 after `now` in a time zone, also on days when the clocks change. */
export function nextSummaryAt(timeZone: string, now: number): number {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate()
  const timeOn = (day: Temporal.PlainDate) =>
    day.toZonedDateTime({ timeZone, plainTime: SUMMARY_TIME }).epochMilliseconds
  return timeOn(today) > now ? timeOn(today) : timeOn(today.add({ days: 1 }))
}
