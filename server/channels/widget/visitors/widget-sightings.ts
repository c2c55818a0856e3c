import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { widgets } from '../../../database/tables/widgets.ts'
import { writeQuietly } from '../../../database/unit.ts'
import type { Deps } from '../../../deps.ts'
import type { Widget } from '../widgets/find-widget.ts'

const SAVE_EVERY_MS = 60_000
const MAX_URL_LENGTH = 500

/** Where a widget was loaded or refused last, for its settings page. Each is saved at most once a minute. */
interface WidgetSightings {
  seen(widget: Widget, url: string): void
  refused(widget: Widget, origin: string): void
}

export function createWidgetSightings(deps: Deps): WidgetSightings {
  const savedAt = new Map<string, number>()

  /** The request that loads the widget doesn't wait for it. */
  function save(widget: Widget, what: 'seen' | 'refused', url: string): void {
    const now = deps.clock.monotonic()
    const key = `${what} ${widget.id}`
    if (now - (savedAt.get(key) ?? Number.NEGATIVE_INFINITY) < SAVE_EVERY_MS) return
    savedAt.set(key, now)
    const [shown, at] = [url.slice(0, MAX_URL_LENGTH), deps.clock.now()]
    const change = what === 'seen' ? { seenUrl: shown, seenAt: at } : { refusedOrigin: shown, refusedAt: at }
    const column = what === 'seen' ? widgets.seenAt : widgets.refusedAt
    deps.database
      .write(widget.orgId, async (tx) => {
        writeQuietly()
        // Another node may have saved a later one.
        const isLater = or(isNull(column), lt(column, at))
        await tx
          .update(widgets)
          .set(change)
          .where(and(eq(widgets.id, widget.id), isLater))
      })
      .catch((error) => deps.log.warn('widget_sighting_not_saved', { widgetId: widget.id, error }))
  }

  return {
    seen: (widget, url) => save(widget, 'seen', url),
    refused: (widget, origin) => save(widget, 'refused', origin),
  }
}
