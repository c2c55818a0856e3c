import { createMemo, createSignal } from 'solid-js'
import type { Conversation, Identity, Message, Native, Visitor, WidgetSettings } from '../contract.ts'
import { type Conversations, createConversations } from './conversations.ts'
import { newClientId, openKeptValues } from './kept-values.ts'
import { createOutbox, type Outbox, type UnsentMessage } from './outbox.ts'
import { linkTabs, type TabLink } from './tab-link.ts'
import { ApiProblem, createVisitorApi, type VisitorApi } from './visitor-api.ts'
import { createVisitorSession, currentPage, ignore } from './visitor-session.ts'
import { type NumberedEvent, openVisitorStream, type VisitorStream } from './visitor-stream.ts'

export type Route = { page: 'list' } | { page: 'conversation'; ref: string }

/** Everything that the panel shows and does. */
export interface WidgetClient {
  settings(): WidgetSettings
  setSettings(settings: WidgetSettings): void
  isOpen(): boolean
  setOpen(isOpen: boolean): void
  route(): Route
  /** Without a reference: a new conversation. */
  go(route: Route | 'new'): void
  conversation(): Conversation | undefined
  conversations: Conversations
  unread(): number
  visitor(): Visitor | undefined
  /** What the page has said of a visitor who has no session yet. */
  given(): Identity
  /** Whether this visitor may use the widget at all. */
  isAllowed(): boolean
  unsent(ref: string): UnsentMessage[]
  outbox: Pick<Outbox, 'waiting' | 'retry' | 'discard'>
  send(message: Pick<UnsentMessage, 'text' | 'attachments' | 'answers'>): void
  draft(ref: string): string
  setDraft(ref: string, text: string): void
  /** False while the server can't be reached. */
  isConnected(): boolean
  /** Whether the browser stores what has to survive a reload. */
  isLasting(): boolean
  isMuted(): boolean
  setMuted(isMuted: boolean): void
  /** Which answer the visitor has dismissed the bubble of. */
  dismissed(): string
  dismiss(answer: string): void
  markSeen(): void
  setTyping(isTyping: boolean): void
  saveEmail(email: string): Promise<void>
  endConversation(): Promise<void>
  readFile: VisitorApi['readFile']
  /** Nothing in the preview. */
  api: VisitorApi | undefined
  identify(identity: Identity): Promise<void>
  logout(): void
  /** A new message of an agent. */
  onMessage(run: (message: Message) => void): void
  stop(): void
}

const MAX_ONLINE_SPREAD_MS = 500
/** The server forgets that someone types after a few seconds. */
const TYPING_EVERY_MS = 3_000
/** Agents see where the visitor is within three seconds. */
const PAGE_CHECK_MS = 1_000

export function createWidgetClient(given: {
  key: string
  origin: string
  native: Native
  settings: WidgetSettings
}): WidgetClient {
  const { native } = given
  const name = `bellhop:${given.key}`
  const kept = openKeptValues(`${name}:`, () => localStorage)
  const tab = openKeptValues(`${name}:`, () => sessionStorage)
  const api = createVisitorApi(`${given.origin}/widget/${encodeURIComponent(given.key)}`, native, () =>
    session.token(),
  )
  const [settings, setSettings] = createSignal(given.settings)
  const [visitor, setVisitor] = createSignal<Visitor>()
  const [isOpen, setIsOpen] = createSignal(tab.read<boolean>('open') ?? false)
  const [route, setRoute] = createSignal<Route>(tab.read<Route>('route') ?? newRoute())
  const [isConnected, setConnected] = createSignal(true)
  const [isMuted, setIsMuted] = createSignal(kept.read<boolean>('muted') ?? false)
  const [dismissed, setDismissed] = createSignal(kept.read<string>('dismissed') ?? '')
  const [isLasting, setLasting] = createSignal(kept.isLasting())
  const listeners: ((message: Message) => void)[] = []
  let link: TabLink | undefined
  let stream: VisitorStream | undefined
  let isStarting = false
  let isHidden = false
  let typingSentAt = 0
  let pageSent = ''

  const session = createVisitorSession({ api: () => api, kept, onChange: onSession })
  const conversations = createConversations(api)
  const outbox = createOutbox({
    name,
    api,
    kept,
    session,
    onSent({ conversation, message }) {
      setVisitor(session.visitor() ?? undefined)
      conversations.put(conversation, message)
      link?.post({
        kind: 'event',
        epoch: session.epoch(),
        event: { event: 'message', conversation, message },
      })
      void start()
    },
  })
  setVisitor(session.visitor() ?? undefined)
  const conversation = createMemo(() => {
    const current = route()
    return current.page === 'conversation' ? conversations.find(current.ref) : undefined
  })

  function newRoute(): Route {
    return { page: 'conversation', ref: newClientId() }
  }

  function go(next: Route | 'new'): void {
    const chosen = next === 'new' ? newRoute() : next
    setRoute(chosen)
    tab.write('route', chosen)
  }

  /** The newest open conversation, or a new one; but not while something unsent is on the screen. */
  function showNewest(): void {
    const current = route()
    if (current.page === 'conversation' && (conversations.find(current.ref) || isBegun(current.ref))) return
    const newest = conversations.list().find(({ state }) => state === 'open')
    if (newest) go({ page: 'conversation', ref: newest.id })
  }

  function isBegun(ref: string): boolean {
    return unsent(ref).length > 0 || draft(ref) !== ''
  }

  /** Reads the conversations and opens the stream, once there are any. */
  async function start(): Promise<void> {
    if (isStarting || link || !session.token()) return
    isStarting = true
    const epoch = session.epoch()
    try {
      await conversations.load()
      setConnected(true)
      showNewest()
      if (conversations.list().length > 0 || isOpen()) openLink(epoch)
    } catch (error) {
      if (session.epoch() === epoch)
        onProblem(error instanceof ApiProblem ? error : new ApiProblem(0, 'unreachable', String(error)))
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
    link = linkTabs(`${name}:stream`, native, {
      lead,
      // A hidden tab doesn't notice itself that the computer has slept.
      asked: () => stream?.hurry(),
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
    if (isConnectedNow) outbox.flush()
  }

  function receive(data: unknown): void {
    const packet = data as
      | { kind: 'event'; epoch: string; event: NumberedEvent }
      | { kind: 'connected'; isConnected: boolean }
      | { kind: 'forbidden' }
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

  /** Another visitor, another token of the same one, or what is known of them. */
  function onSession({ isOther, was, wasUser }: { isOther: boolean; was: string; wasUser: boolean }): void {
    setVisitor(session.visitor() ?? undefined)
    const isGone = !session.token()
    if (isOther) {
      link?.stop()
      link = undefined
      conversations.clear()
      const keep = !wasUser && session.isUser()
      if (!keep) for (const name of kept.names(`${was}:`)) kept.remove(name)
      outbox.dropEpoch(was, keep)
      go('new')
    } else if (isGone) {
      link?.stop()
      link = undefined
      conversations.clear()
    }
    void start()
  }

  const stopListening = kept.onChange((changed) => {
    if (changed === 'session') session.reread()
    else if (changed === 'muted') setIsMuted(kept.read<boolean>('muted') ?? false)
    else if (changed === 'dismissed') setDismissed(kept.read<string>('dismissed') ?? '')
    else if (changed.includes(':unsent:')) outbox.reread()
  })

  function onOnline(): void {
    setTimeout(outbox.flush, Math.random() * MAX_ONLINE_SPREAD_MS)
    stream?.hurry()
  }

  function onVisible(): void {
    if (!document.hidden) onOnline()
  }

  /** A page that can be shown again must have no open connection and no lock. */
  function onHide(): void {
    isHidden = true
    link?.stop()
    link = undefined
  }

  function onShow({ persisted }: PageTransitionEvent): void {
    isHidden = false
    if (persisted) void start()
  }

  addEventListener('online', onOnline)
  document.addEventListener('visibilitychange', onVisible)
  addEventListener('pagehide', onHide)
  addEventListener('pageshow', onShow)
  const pageTimer = setInterval(sendPage, PAGE_CHECK_MS)

  /** Agents see which page the visitor is on. */
  async function sendPage(): Promise<void> {
    if (!link || document.hidden || location.href === pageSent) return
    pageSent = location.href
    await ignore(api.call('PATCH', 'visitor', { page: currentPage() }))
  }

  function unsent(ref: string): UnsentMessage[] {
    const known = conversations.find(ref)
    const sent = known && conversations.thread(known.id)?.messages
    return outbox
      .messages()
      .filter((message) => message.conversation === ref || (known && isOf(known, message.conversation)))
      .filter(({ clientId }) => !sent?.some((message) => message.clientId === clientId))
  }

  function draftName(ref: string): string {
    const known = conversations.find(ref)
    return `${session.epoch()}:draft:${known?.id ?? 'new'}`
  }

  function draft(ref: string): string {
    const isBegunHere = conversations.find(ref)?.clientId === ref
    // It was begun before the conversation was known.
    const before = isBegunHere ? kept.read<string>(`${session.epoch()}:draft:new`) : undefined
    return kept.read<string>(draftName(ref)) ?? before ?? ''
  }

  // What isn't sent is shown, also before the conversations are read.
  const waiting = outbox.messages().at(-1)
  if (waiting && !tab.read('route')) setRoute({ page: 'conversation', ref: waiting.conversation })
  void start()
  outbox.flush()

  return {
    settings,
    setSettings,
    isOpen,
    setOpen(next) {
      setIsOpen(next)
      tab.write('open', next)
      if (next) void start()
    },
    route,
    go,
    conversation,
    conversations,
    unread: createMemo(() => conversations.list().reduce((sum, { unread }) => sum + unread, 0)),
    visitor,
    given: session.given,
    isAllowed: () => !settings().verifiedOnly || visitor()?.isVerified === true,
    unsent,
    outbox,
    send({ text, attachments, answers }) {
      const current = route()
      if (current.page !== 'conversation') return
      outbox.add({ conversation: current.ref, text, attachments, answers })
      setLasting(kept.isLasting())
    },
    draft,
    setDraft(ref, text) {
      if (conversations.find(ref)?.clientId === ref) kept.remove(`${session.epoch()}:draft:new`)
      if (text === '') kept.remove(draftName(ref))
      else kept.write(draftName(ref), text)
    },
    isConnected,
    isLasting,
    isMuted,
    setMuted(next) {
      setIsMuted(next)
      kept.write('muted', next)
    },
    dismissed,
    dismiss(answer) {
      setDismissed(answer)
      kept.write('dismissed', answer)
    },
    markSeen() {
      const current = conversation()
      const newest = current && newestOfAgent(conversations.thread(current.id)?.messages ?? [])
      if (!current?.unread || !newest) return
      conversations.setSeen(current.id)
      // The same text may come again.
      setDismissed('')
      kept.remove('dismissed')
      void ignore(api.call('POST', `conversations/${current.id}/seen`, { messageId: newest.id }))
    },
    setTyping(isTyping) {
      const current = conversation()
      const now = Date.now()
      if (!current || (isTyping && now - typingSentAt < TYPING_EVERY_MS)) return
      if (!isTyping && typingSentAt === 0) return
      typingSentAt = isTyping ? now : 0
      void ignore(api.call('POST', `conversations/${current.id}/typing`, { isTyping }))
    },
    async saveEmail(email) {
      const answer = await api.call<{ visitor: Visitor }>('PATCH', 'visitor', { email })
      session.setVisitor(answer.visitor)
      setVisitor(answer.visitor)
    },
    async endConversation() {
      const current = conversation()
      if (!current) return
      const answer = await api.call<{ conversation: Conversation }>('POST', `conversations/${current.id}/end`)
      conversations.put(answer.conversation)
    },
    readFile: api.readFile,
    api,
    identify: session.identify,
    logout: session.logout,
    onMessage: (run) => void listeners.push(run),
    stop() {
      onHide()
      stopListening()
      clearInterval(pageTimer)
      removeEventListener('online', onOnline)
      document.removeEventListener('visibilitychange', onVisible)
      removeEventListener('pagehide', onHide)
      removeEventListener('pageshow', onShow)
    },
  }
}

function isOf({ id, clientId }: Conversation, ref: string): boolean {
  return id === ref || clientId === ref
}

function newestOfAgent(messages: Message[]): Message | undefined {
  return messages.filter(({ from }) => from === 'agent').at(-1)
}
