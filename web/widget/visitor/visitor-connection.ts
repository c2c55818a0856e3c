import { createSignal } from 'solid-js'
import type { Conversation, Message, Native } from '../contract.ts'
import type { Conversations } from './conversations.ts'
import { linkTabs, type TabLink } from './tab-link.ts'
import { type ApiProblem, problemFrom, type VisitorApi } from './visitor-api.ts'
import { currentPage, ignore, type VisitorSession } from './visitor-session.ts'
import { type NumberedEvent, openVisitorStream, type VisitorStream } from './visitor-stream.ts'

const MAX_ONLINE_SPREAD_MS = 500
/** Agents see where the visitor is within three seconds. */
const PAGE_CHECK_MS = 1_000

/** What the tab with the stream tells the others. */
type Packet =
  | { kind: 'event'; epoch: string; event: NumberedEvent }
  | { kind: 'connected'; isConnected: boolean }
  | { kind: 'forbidden' }

/** Reads the conversations, keeps them up to date with the stream of one tab, and says where the visitor is. */
export function createVisitorConnection(of: {
  name: string
  api: VisitorApi
  native: Native
  session: VisitorSession
  conversations: Conversations
  /** Whether there is a stream before the first conversation. */
  isWanted: () => boolean
  /** The conversations were read. */
  onLoaded: () => void
  /** Sends what waits, once the server can be reached. */
  flush: () => void
}) {
  const { api, native, session, conversations } = of
  const [isConnected, setConnected] = createSignal(true)
  const listeners: ((message: Message) => void)[] = []
  let link: TabLink | undefined
  let stream: VisitorStream | undefined
  let isStarting = false
  let isHidden = false
  let pageSent = ''

  /** Reads the conversations and opens the stream, once there are any. */
  async function start(): Promise<void> {
    if (isStarting || link || !session.token()) return
    isStarting = true
    const epoch = session.epoch()
    try {
      await conversations.load()
      setConnected(true)
      of.onLoaded()
      if (conversations.list().length > 0 || of.isWanted()) openLink(epoch)
    } catch (error) {
      if (session.epoch() === epoch) onProblem(problemFrom(error))
    } finally {
      isStarting = false
    }
    // The visitor changed meanwhile.
    if (session.epoch() !== epoch) void start()
  }

  function onProblem(error: ApiProblem): void {
    if (error.code === 'invalid_visitor') session.expire()
    if (!error.isTemporary) return
    setConnected(false)
    setTimeout(start, error.pauseMs || 2_000 + Math.random() * 10_000)
  }

  function openLink(epoch: string): void {
    if (link || session.epoch() !== epoch || isHidden) return
    link = linkTabs(`${of.name}:stream`, native, {
      lead,
      // A hidden tab doesn't notice itself that the computer has slept.
      asked: () => stream?.reconnectNow(),
      receive,
    })
    void sendPage()
  }

  function lead(): () => void {
    if (!session.token()) return () => {}
    stream = openVisitorStream(
      { api, native, after: conversations.after },
      {
        event(event) {
          if (event.event === 'hello') setConnectedEverywhere(true)
          apply(event)
          link?.post({ kind: 'event', epoch: session.epoch(), event })
        },
        lost: () => setConnectedEverywhere(false),
        forbidden() {
          conversations.clear()
          link?.post({ kind: 'forbidden' })
        },
        refused: () => session.expire(),
      },
    )
    return () => {
      stream?.close()
      stream = undefined
    }
  }

  function setConnectedEverywhere(isConnectedNow: boolean): void {
    setConnected(isConnectedNow)
    link?.post({ kind: 'connected', isConnected: isConnectedNow })
    if (isConnectedNow) of.flush()
  }

  function receive(data: unknown): void {
    const packet = data as Packet
    if (packet.kind === 'forbidden') conversations.clear()
    else if (packet.kind === 'connected') setConnected(packet.isConnected)
    else if (packet.epoch === session.epoch()) apply(packet.event)
  }

  function apply(event: NumberedEvent): void {
    const isNew =
      event.event === 'message' &&
      event.message.from === 'agent' &&
      event.conversation.unread > 0 &&
      !conversations.thread(event.message.conversationId)?.messages.some(({ id }) => id === event.message.id)
    conversations.apply(event)
    if (event.event === 'message' && isNew) for (const listener of listeners) listener(event.message)
  }

  function drop(): void {
    link?.stop()
    link = undefined
  }

  /** A page that can be shown again must have no open connection and no lock. */
  function onHide(): void {
    isHidden = true
    drop()
  }

  function onShow({ persisted }: PageTransitionEvent): void {
    isHidden = false
    if (persisted) void start()
  }

  /** Agents see which page the visitor is on. */
  async function sendPage(): Promise<void> {
    if (!link || document.hidden || location.href === pageSent) return
    pageSent = location.href
    await ignore(api.call('PATCH', 'visitor', { page: currentPage() }))
  }

  function onOnline(): void {
    setTimeout(of.flush, Math.random() * MAX_ONLINE_SPREAD_MS)
    stream?.reconnectNow()
  }

  function onVisible(): void {
    if (!document.hidden) onOnline()
  }

  const listening = new (native('AbortController'))()
  const { signal } = listening
  addEventListener('online', onOnline, { signal })
  document.addEventListener('visibilitychange', onVisible, { signal })
  addEventListener('pagehide', onHide, { signal })
  addEventListener('pageshow', onShow, { signal })
  const pageTimer = setInterval(sendPage, PAGE_CHECK_MS)

  return {
    /** False while the server can't be reached. */
    isConnected,
    start,
    /** The visitor has left. */
    leave(): void {
      drop()
      conversations.clear()
    },
    /** Shows a message of this tab in the others. */
    share(conversation: Conversation, message: Message): void {
      link?.post({
        kind: 'event',
        epoch: session.epoch(),
        event: { event: 'message', conversation, message },
      })
    },
    onMessage: (run: (message: Message) => void) => void listeners.push(run),
    stop(): void {
      onHide()
      clearInterval(pageTimer)
      listening.abort()
    },
  }
}
