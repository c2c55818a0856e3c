/** What an agent does in a ticket. */
export const PRESENCE_STATES = ['viewing', 'replying'] as const
type PresenceState = (typeof PRESENCE_STATES)[number]

/** Which agents are online, and which tickets they have open. */
export interface PresenceSnapshot {
  /** Agent ids, sorted. */
  online: string[]
  tickets: Record<string, { agentId: string; state: PresenceState }[]>
  /** Tickets in which the customer is typing, if any. */
  typing?: string[]
}

/** The state of one page. The page repeats it before it expires. */
export interface Announcement {
  agentId: string
  pageId: string
  /** Null while no ticket is open. */
  ticketId: string | null
  state: PresenceState
  /** The page's tab has the focus. */
  isFocused?: boolean
}

/** A page with an open stream, which its node has numbered. */
export interface ConnectedPage {
  stream: number
  agentId: string
  pageId: string
}

/** Whether the customer of a ticket is typing. Their page repeats it while they do. */
export interface CustomerTyping {
  ticketId: string
  isTyping: boolean
}

const EXPIRES_AFTER_MS = 45_000
const TYPING_EXPIRES_AFTER_MS = 8_000
/** How long a page has to reconnect after its stream closed. */
const RECONNECT_GRACE_MS = 3_000
const MAX_PAGES_PER_AGENT = 50

export interface Presence {
  announce(announcement: Announcement): void
  customerTyping(typing: CustomerTyping): void
  /** The page has its stream on this node until it is closed, or the time has come (monotonic). */
  open(nodeId: string, page: ConnectedPage, expiresAt: number): void
  close(nodeId: string, stream: number): void
  /** Closes all streams of a node. */
  forget(nodeId: string): void
  /** The newest announcement of a page. */
  announced(page: ConnectedPage): Announcement | undefined
  /** Whether the agent is looking at the ticket, in any tab of any browser. */
  isFocused(agentId: string, ticketId: string): boolean
  snapshot(): PresenceSnapshot
  /** When the next announcement, stream or typing expires, on the monotonic clock. Undefined when nothing is left. */
  nextExpiryAt(): number | undefined
}

/** Presence in one organization. In memory only, because it expires in seconds. `now` is monotonic. */
export function createPresence(now: () => number): Presence {
  const pages = new Map<string, Announcement & { expiresAt: number }>()
  const streams = new Map<string, ConnectedPage & { nodeId: string; expiresAt: number }>()
  /** When it expires, by ticket. */
  const typing = new Map<string, number>()

  function removeExpired(): void {
    for (const { nodeId, stream, expiresAt } of streams.values())
      if (expiresAt <= now()) close(nodeId, stream)
    for (const [key, { expiresAt }] of pages) if (expiresAt <= now()) pages.delete(key)
    for (const [ticketId, expiresAt] of typing) if (expiresAt <= now()) typing.delete(ticketId)
  }

  /** What the page has announced ends a moment later, unless it has another stream by then, perhaps on another node. */
  function close(nodeId: string, stream: number): void {
    const closed = streams.get(`${nodeId} ${stream}`)
    if (!closed) return
    streams.delete(`${nodeId} ${stream}`)
    const page = pages.get(keyOf(closed))
    if (!page || [...streams.values()].some((open) => keyOf(open) === keyOf(closed))) return
    page.expiresAt = Math.min(page.expiresAt, now() + RECONNECT_GRACE_MS)
  }

  return {
    announce(announcement) {
      const key = keyOf(announcement)
      pages.delete(key)
      const others = [...pages].filter(([, { agentId }]) => agentId === announcement.agentId)
      const [oldest] = others
      if (oldest && others.length >= MAX_PAGES_PER_AGENT) pages.delete(oldest[0])
      pages.set(key, { ...announcement, expiresAt: now() + EXPIRES_AFTER_MS })
    },
    customerTyping({ ticketId, isTyping }) {
      if (isTyping) typing.set(ticketId, now() + TYPING_EXPIRES_AFTER_MS)
      else typing.delete(ticketId)
    },
    open(nodeId, page, expiresAt) {
      streams.set(`${nodeId} ${page.stream}`, { ...page, nodeId, expiresAt })
    },
    close,
    forget(nodeId) {
      for (const page of streams.values()) if (page.nodeId === nodeId) close(nodeId, page.stream)
    },
    announced(page) {
      const announced = pages.get(keyOf(page))
      if (!announced) return undefined
      const { expiresAt: _, ...announcement } = announced
      return announcement
    },
    isFocused(agentId, ticketId) {
      removeExpired()
      return [...pages.values()].some(
        (page) => page.isFocused === true && page.agentId === agentId && page.ticketId === ticketId,
      )
    },
    snapshot() {
      removeExpired()
      const online = new Set([...streams.values()].map(({ agentId }) => agentId))
      const tickets: PresenceSnapshot['tickets'] = {}
      for (const { agentId, ticketId, state } of pages.values()) {
        online.add(agentId)
        if (ticketId === null) continue
        tickets[ticketId] ??= []
        const seen = tickets[ticketId].find((one) => one.agentId === agentId)
        if (!seen) tickets[ticketId].push({ agentId, state })
        else if (state === 'replying') seen.state = state
      }
      for (const agents of Object.values(tickets))
        agents.sort((one, other) => (one.agentId < other.agentId ? -1 : 1))
      return {
        online: [...online].sort(),
        tickets,
        ...(typing.size > 0 && { typing: [...typing.keys()].sort() }),
      }
    },
    nextExpiryAt() {
      const times = [
        ...typing.values(),
        ...[...pages.values(), ...streams.values()].map(({ expiresAt }) => expiresAt),
      ]
      return times.length === 0 ? undefined : Math.min(...times)
    },
  }
}

/** Pages choose their ids, so they are unique per agent only. */
function keyOf({ agentId, pageId }: { agentId: string; pageId: string }): string {
  return `${agentId} ${pageId}`
}
