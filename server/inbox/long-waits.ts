import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { type WidgetHours, widgets } from '../database/tables/widgets.ts'
import { afterOpenTime } from '../tickets/opening-hours.ts'
import { waitingSinceOf } from '../tickets/waiting.ts'

/** Waiting this long is long. */
const LONG_WAIT_MS = 60 * 60_000

interface WaitingRow {
  waitingOrder: number
  /** Of a ticket that was opened in a widget. */
  widgetId: string | null
  longWaitAt?: number
}

/**
 * Adds to each row whose customer waits when they will have waited for long. Only the opening hours of the ticket's
 * widget count; on the other channels, those of the only widget that has some. Without any, all time counts.
 */
export async function addLongWaits(
  read: Reader,
  { orgId, rows }: { orgId: string; rows: WaitingRow[] },
): Promise<void> {
  if (rows.every((row) => waitingSinceOf(row) === undefined)) return
  const known = await hoursOfWidgets(read, { orgId })
  const byWidget = new Map(known.map(({ id, hours }) => [id, hours]))
  const general = onlyOne(known.flatMap(({ hours, deletedAt }) => (hours && deletedAt === null ? hours : [])))
  for (const row of rows) {
    const since = waitingSinceOf(row)
    if (since === undefined) continue
    const hours = row.widgetId === null ? general : (byWidget.get(row.widgetId) ?? null)
    row.longWaitAt = afterOpenTime(hours, since, LONG_WAIT_MS)
  }
}

function onlyOne(all: WidgetHours[]): WidgetHours | null {
  const [only = null, ...others] = all
  return others.length === 0 ? only : null
}

const hoursOfWidgets = statement('inbox_opening_hours', { orgId: text }, (read: Reader, p) =>
  read
    .select({ id: widgets.id, hours: widgets.hours, deletedAt: widgets.deletedAt })
    .from(widgets)
    .where(matches(widgets, p)),
)
