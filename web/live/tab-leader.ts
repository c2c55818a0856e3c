import { type LiveMessage, openStream, type Stream } from './event-source.ts'

// A browser opens at most six connections to a server, so with one stream per tab the seventh tab would hang. One tab, the
// leader, has the stream and forwards its messages to the others.

const NAME = 'bellhop-live'
/** A leader that doesn't respond within this time is replaced by another tab. */
const MAX_RESPONSE_MS = 3_000

export type LinkState = 'online' | 'offline' | 'connecting'

type TabMessage =
  | { kind: 'message'; message: LiveMessage }
  | { kind: 'state'; state: LinkState; presence: LiveMessage | undefined }
  | { kind: 'ask' }
  | { kind: 'reconnectNow' | 'verify' }

interface Listener {
  message(message: LiveMessage): void
  state(state: LinkState): void
}

/** The stream of this tab, or of the leader. */
type SharedStream = Pick<Stream, 'reconnectNow' | 'verify'>

export function shareStream(pageId: string, on: Listener): SharedStream {
  // Web Locks exist only on https and localhost.
  return 'locks' in navigator ? shareByLock(pageId, on) : streamWhileVisible(pageId, on)
}

function shareByLock(pageId: string, on: Listener): SharedStream {
  const channel = new BroadcastChannel(NAME)
  let stream: Stream | undefined
  let state: LinkState = 'connecting'
  let last: number | undefined
  let presence: LiveMessage | undefined
  let leaderTimeout: ReturnType<typeof setTimeout> | undefined

  function receive(message: LiveMessage): void {
    last = message.number ?? last
    if (message.event === 'presence') presence = message
    on.message(message)
  }

  function setState(next: LinkState): void {
    state = next
    on.state(next)
  }

  function broadcast(tabMessage: TabMessage): void {
    channel.postMessage(tabMessage)
  }

  function lead(): Promise<void> {
    clearTimeout(leaderTimeout)
    stream = openStream(pageId, last, {
      event(message) {
        receive(message)
        broadcast({ kind: 'message', message })
        if (message.event === 'hello') broadcastState('online')
      },
      lost: () => broadcastState('offline'),
    })
    // Holds the lock until this tab closes or another tab steals it.
    return new Promise(() => {})
  }

  function broadcastState(next: LinkState): void {
    setState(next)
    broadcast({ kind: 'state', state: next, presence })
  }

  function follow(isForced: boolean): void {
    navigator.locks.request(NAME, { steal: isForced }, lead).catch((error: unknown) => {
      stream?.close()
      stream = undefined
      const name = error instanceof DOMException ? error.name : ''
      // A page that is being unloaded gets no lock, and asking again at once would loop. Going back may show it again.
      if (name === 'AbortError') follow(false)
      else if (name === 'InvalidStateError') addEventListener('pageshow', () => follow(false), { once: true })
      else setTimeout(() => follow(false), MAX_RESPONSE_MS)
    })
  }

  function askLeader(tabMessage: TabMessage): void {
    if (stream) return
    broadcast(tabMessage)
    clearTimeout(leaderTimeout)
    leaderTimeout = setTimeout(() => follow(true), MAX_RESPONSE_MS)
  }

  channel.onmessage = ({ data: tabMessage }: MessageEvent<TabMessage>) => {
    clearTimeout(leaderTimeout)
    if (stream && (tabMessage.kind === 'reconnectNow' || tabMessage.kind === 'verify'))
      stream[tabMessage.kind]()
    if (stream)
      return tabMessage.kind === 'message' || tabMessage.kind === 'state' ? undefined : broadcastState(state)
    if (tabMessage.kind === 'message') receive(tabMessage.message)
    if (tabMessage.kind !== 'state') return
    if (tabMessage.presence) receive(tabMessage.presence)
    setState(tabMessage.state)
  }
  follow(false)
  askLeader({ kind: 'ask' })
  return {
    reconnectNow: () => (stream ? stream.reconnectNow() : askLeader({ kind: 'reconnectNow' })),
    verify: () => (stream ? stream.verify() : askLeader({ kind: 'verify' })),
  }
}

/** Without locks: one stream per visible tab. A tab that becomes visible again resumes where it stopped. */
function streamWhileVisible(pageId: string, on: Listener): SharedStream {
  let stream: Stream | undefined
  let last: number | undefined

  function open(): void {
    stream ??= openStream(pageId, last, {
      event(message) {
        last = message.number ?? last
        on.message(message)
        if (message.event === 'hello') on.state('online')
      },
      lost: () => on.state('offline'),
    })
  }

  function update(): void {
    if (!document.hidden) open()
    else {
      stream?.close()
      stream = undefined
    }
  }

  document.addEventListener('visibilitychange', update)
  open()
  return { reconnectNow: () => stream?.reconnectNow(), verify: () => stream?.verify() }
}
