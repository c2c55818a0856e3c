import type { Deps } from '../deps.ts'
import {
  type Announcement,
  type ConnectedPage,
  type CustomerTyping,
  createPresence,
  type Presence,
  type PresenceSnapshot,
} from './presence.ts'
import { createThrottle } from './throttle.ts'

/** Presence is sent to every page, so it is sent less often when there are more pages. */
const MIN_PAUSE_MS = 100
const PAUSE_PER_PAGE_MS = 2
/** Each node repeats which pages it has every 15 seconds. */
const OTHERS_EXPIRE_AFTER_MS = 45_000

/** What a node tells the others. `ask`: it may have missed something, so they repeat what they have. */
type Message =
  | ['ask']
  | ['open', orgId: string, page: ConnectedPage]
  | ['close', orgId: string, stream: number]
  | ['announce', orgId: string, announcement: Announcement]
  | ['typing', orgId: string, typing: CustomerTyping]

/** The stream of a page on this node. */
export interface PresentPage {
  /** Call it every 15 seconds, so that the other nodes know that it is still open. */
  repeat(): void
  close(): void
}

/** Presence in all organizations, on all nodes. */
interface ClusterPresence {
  open(orgId: string, page: Omit<ConnectedPage, 'stream'>): PresentPage
  announce(orgId: string, announcement: Announcement): void
  customerTyping(orgId: string, typing: CustomerTyping): void
  /** Whether an agent is looking at a ticket, in any tab of any browser. */
  isFocused(orgId: string, at: { agentId: string; ticketId: string }): boolean
  /** As it was last shown; undefined when no one is there. */
  of(orgId: string): PresenceSnapshot | undefined
  stop(): Promise<void>
}

interface OfOrganization {
  presence: Presence
  /** Pages with a stream on this node, by the number of the stream. */
  own: Map<number, ConnectedPage>
  shown: PresenceSnapshot | undefined
  /** Has it shown soon if it has changed. */
  wake(): void
  stop(): Promise<void>
}

/**
 * A page may have its stream on one node and announce itself on another, so every node knows all streams and
 * announcements. `show` is called with what has changed, at most once per pause.
 */
export function createClusterPresence(
  deps: Deps,
  show: (orgId: string, presence: PresenceSnapshot) => void,
): ClusterPresence {
  const { clock } = deps
  const { bus, nodeId } = deps.cluster
  const organizations = new Map<string, OfOrganization>()
  let streams = 0
  let isStopped = false

  function tell(message: Message): void {
    bus.send('presence', JSON.stringify(message))
  }

  function of(orgId: string): OfOrganization {
    const known = organizations.get(orgId) ?? createOrganization(orgId)
    organizations.set(orgId, known)
    return known
  }

  function createOrganization(orgId: string): OfOrganization {
    const presence = createPresence(clock.monotonic)
    let text = ''
    let cancelExpiry = () => {}
    const throttle = createThrottle(
      deps,
      'presence',
      () => MIN_PAUSE_MS + created.own.size * PAUSE_PER_PAGE_MS,
      showChanged,
    )

    function showChanged(): void {
      const snapshot = presence.snapshot()
      const before = text
      text = JSON.stringify(snapshot)
      if (text !== before) {
        created.shown = snapshot
        show(orgId, snapshot)
      }
      cancelExpiry()
      const next = presence.nextExpiryAt()
      if (next === undefined) organizations.delete(orgId)
      else if (Number.isFinite(next)) cancelExpiry = clock.after(next - clock.monotonic(), throttle.wake)
    }

    const created: OfOrganization = {
      presence,
      own: new Map(),
      shown: undefined,
      wake: throttle.wake,
      async stop() {
        cancelExpiry()
        await throttle.stop()
      },
    }
    return created
  }

  /** Notes what a page on this or another node does. */
  function apply(message: Message, from: string): void {
    if (isStopped) return
    if (message[0] === 'ask') {
      repeatAll()
      return
    }
    const [what, orgId, told] = message
    const { presence, wake } = of(orgId)
    const expiresAt = from === nodeId ? Number.POSITIVE_INFINITY : clock.monotonic() + OTHERS_EXPIRE_AFTER_MS
    switch (what) {
      case 'open':
        presence.open(from, told, expiresAt)
        break
      case 'close':
        presence.close(from, told)
        break
      case 'announce':
        presence.announce(told)
        break
      case 'typing':
        presence.customerTyping(told)
        break
    }
    wake()
  }

  function applyAndTell(message: Message): void {
    apply(message, nodeId)
    tell(message)
  }

  function repeatAll(): void {
    for (const [orgId, { own, presence }] of organizations) {
      for (const page of own.values()) {
        tell(['open', orgId, page])
        const announced = presence.announced(page)
        if (announced) tell(['announce', orgId, announced])
      }
    }
  }

  function forget(node: string): void {
    for (const { presence, wake } of organizations.values()) {
      presence.forget(node)
      wake()
    }
  }

  const stopListening = [
    bus.on('presence', (text, from) => apply(JSON.parse(text), from)),
    bus.onGone(forget),
    bus.onMissed(() => tell(['ask'])),
  ]
  tell(['ask'])

  return {
    open(orgId, page) {
      streams += 1
      const opened = { ...page, stream: streams }
      const { own } = of(orgId)
      own.set(opened.stream, opened)
      applyAndTell(['open', orgId, opened])
      return {
        repeat: () => tell(['open', orgId, opened]),
        close() {
          own.delete(opened.stream)
          applyAndTell(['close', orgId, opened.stream])
        },
      }
    },
    announce: (orgId, announcement) => applyAndTell(['announce', orgId, announcement]),
    customerTyping: (orgId, typing) => applyAndTell(['typing', orgId, typing]),
    isFocused: (orgId, { agentId, ticketId }) =>
      organizations.get(orgId)?.presence.isFocused(agentId, ticketId) ?? false,
    of: (orgId) => organizations.get(orgId)?.shown,
    async stop() {
      isStopped = true
      for (const stop of stopListening) stop()
      await Promise.all([...organizations.values()].map((one) => one.stop()))
    },
  }
}
