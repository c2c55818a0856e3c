/** Somebody looks at a ticket, or writes in it. */
export const PRESENCE_STATES = ['viewing', 'replying'] as const
export type PresenceState = (typeof PRESENCE_STATES)[number]

/** Who is here and what they have open. */
export interface Picture {
  /** Agent ids, sorted. */
  online: string[]
  tickets: Record<string, { agentId: string; state: PresenceState }[]>
}

/** What one page says; it says so again before it is forgotten. */
export interface Announcement {
  agentId: string
  pageId: string
  /** Null while no ticket is open. */
  ticketId: string | null
  state: PresenceState
}

const FORGOTTEN_AFTER_MS = 45_000
/** A page whose stream closed may only have lost its connection for a moment. */
const GRACE_MS = 3_000
const MOST_PAGES_OF_AGENT = 50

export interface Presence {
  announce(said: Announcement): void
  /** The page's stream has closed. */
  closed(agentId: string, pageId: string): void
  /** `connected`: agents with an open page, whether it said anything or not. */
  picture(connected: Iterable<string>): Picture
  /** When somebody is forgotten next, on the monotonic clock; undefined when nobody is here. */
  nextChangeAt(): number | undefined
}

/** Who is where, of one organization: in memory only, for it is true for seconds. `now` is monotonic. */
export function createPresence(now: () => number): Presence {
  const pages = new Map<string, Announcement & { until: number }>()

  function forgetOld(): void {
    for (const [key, { until }] of pages) if (until <= now()) pages.delete(key)
  }

  return {
    announce(said) {
      const key = keyOf(said)
      pages.delete(key)
      const others = [...pages].filter(([, { agentId }]) => agentId === said.agentId)
      const [oldest] = others
      if (oldest && others.length >= MOST_PAGES_OF_AGENT) pages.delete(oldest[0])
      pages.set(key, { ...said, until: now() + FORGOTTEN_AFTER_MS })
    },
    closed(agentId, pageId) {
      const page = pages.get(keyOf({ agentId, pageId }))
      if (page) page.until = Math.min(page.until, now() + GRACE_MS)
    },
    picture(connected) {
      forgetOld()
      const online = new Set(connected)
      const tickets: Picture['tickets'] = {}
      for (const { agentId, ticketId, state } of pages.values()) {
        online.add(agentId)
        if (ticketId === null) continue
        tickets[ticketId] ??= []
        const seen = tickets[ticketId].find((one) => one.agentId === agentId)
        if (!seen) tickets[ticketId].push({ agentId, state })
        else if (state === 'replying') seen.state = state
      }
      for (const here of Object.values(tickets))
        here.sort((one, other) => (one.agentId < other.agentId ? -1 : 1))
      return { online: [...online].sort(), tickets }
    },
    nextChangeAt() {
      let next: number | undefined
      for (const { until } of pages.values()) next = Math.min(next ?? until, until)
      return next
    },
  }
}

/** Page ids are the pages' own: another agent's page of the same name is another page. */
function keyOf({ agentId, pageId }: { agentId: string; pageId: string }): string {
  return `${agentId} ${pageId}`
}
