import type { AnyElysia } from 'elysia'
import { mails } from '../database/tables/mailboxes.ts'
import { organizations } from '../database/tables/organizations.ts'
import { sends } from '../database/tables/sends.ts'
import { deliveries } from '../database/tables/webhooks.ts'
import type { Deps } from '../deps.ts'

/** The server is idle when there was no request and no change for this long. */
const IDLE_AFTER_MS = 1_000
/** What requests, deliveries, sent messages, and received mail write. */
const WRITTEN = [organizations, deliveries, sends, mails]

/** Supervisors and monitoring ask all the time. */
const PROBES = /^[^?]*\/(?:health\/(?:live|ready)|metrics)(?:\?|$)/

export interface Traffic {
  /** Whether nothing but work that can wait has been done lately. */
  isIdle(): boolean
  stop(): void
}

/** Notices requests and changes, for work in the background that uses an idle server and makes room on a busy one. */
export function watchTraffic(app: AnyElysia, { clock, pulse }: Pick<Deps, 'clock' | 'pulse'>): Traffic {
  let lastAt = Number.NEGATIVE_INFINITY
  const note = () => {
    lastAt = clock.monotonic()
  }
  app.wrap((handle) => (request: Request) => {
    if (!PROBES.test(request.url)) note()
    return handle(request)
  })
  return {
    isIdle: () => clock.monotonic() - lastAt > IDLE_AFTER_MS,
    stop: pulse.listen(note, WRITTEN),
  }
}
