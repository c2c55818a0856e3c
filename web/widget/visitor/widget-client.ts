import { createMemo, createSignal } from 'solid-js'
import type { Conversation, Identity, Message, Native, Visitor, WidgetSettings } from '../contract.ts'
import { type Conversations, createConversations } from './conversations.ts'
import { type KeptValues, newClientId, openKeptValues } from './kept-values.ts'
import { createOutbox, type Outbox, type UnsentMessage } from './outbox.ts'
import { createVisitorApi, type VisitorApi } from './visitor-api.ts'
import { createVisitorConnection } from './visitor-connection.ts'
import { createVisitorSession, ignore, type VisitorSession } from './visitor-session.ts'

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
  /** The conversation of the route: the server's id or the one that the page made. Empty for the list. */
  ref(): string
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

/** The server forgets that someone types after a few seconds. */
const TYPING_EVERY_MS = 3_000

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
  const open = createKeptSignal(tab, 'open', false)
  const route = createKeptSignal(tab, 'route', newRoute())
  const muted = createKeptSignal(kept, 'muted', false)
  const dismissed = createKeptSignal(kept, 'dismissed', '')
  const [isLasting, setLasting] = createSignal(kept.isLasting())
  let typingSentAt = 0

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
      connection.share(conversation, message)
      void connection.start()
    },
  })
  const connection = createVisitorConnection({
    name,
    api,
    native,
    session,
    conversations,
    isWanted: open.read,
    onLoaded: showNewest,
    flush: outbox.flush,
  })
  const drafts = createDrafts(kept, session, conversations)
  setVisitor(session.visitor() ?? undefined)
  const ref = createMemo(() => {
    const current = route.read()
    return current.page === 'conversation' ? current.ref : ''
  })
  const conversation = createMemo(() => conversations.find(ref()))

  function newRoute(): Route {
    return { page: 'conversation', ref: newClientId() }
  }

  function go(next: Route | 'new'): void {
    route.write(next === 'new' ? newRoute() : next)
  }

  /** The newest open conversation, or a new one; but not while something unsent is on the screen. */
  function showNewest(): void {
    if (ref() && (conversation() || isBegun(ref()))) return
    const newest = conversations.list().find(({ state }) => state === 'open')
    if (newest) go({ page: 'conversation', ref: newest.id })
  }

  function isBegun(ref: string): boolean {
    return unsent(ref).length > 0 || drafts.draft(ref) !== ''
  }

  /** Another visitor, another token of the same one, or what is known of them. */
  function onSession({ isOther, was, wasUser }: { isOther: boolean; was: string; wasUser: boolean }): void {
    setVisitor(session.visitor() ?? undefined)
    if (isOther || !session.token()) connection.leave()
    if (isOther) {
      const keep = !wasUser && session.isUser()
      if (!keep) for (const name of kept.names(`${was}:`)) kept.remove(name)
      outbox.dropEpoch(was, keep)
      go('new')
    }
    void connection.start()
  }

  const stopListening = kept.onChange((changed) => {
    if (changed === 'session') session.reread()
    else if (changed === 'muted') muted.reread()
    else if (changed === 'dismissed') dismissed.reread()
    else if (changed.includes(':unsent:')) outbox.reread()
  })

  function unsent(ref: string): UnsentMessage[] {
    const known = conversations.find(ref)
    const sent = known && conversations.thread(known.id)?.messages
    return outbox
      .messages()
      .filter((message) => message.conversation === ref || (known && isOf(known, message.conversation)))
      .filter(({ clientId }) => !sent?.some((message) => message.clientId === clientId))
  }

  // What isn't sent is shown, also before the conversations are read.
  const waiting = outbox.messages().at(-1)
  if (waiting && !tab.read('route')) route.set({ page: 'conversation', ref: waiting.conversation })
  void connection.start()
  outbox.flush()

  return {
    settings,
    setSettings,
    isOpen: open.read,
    setOpen(next) {
      open.write(next)
      if (next) void connection.start()
    },
    route: route.read,
    go,
    ref,
    conversation,
    conversations,
    unread: createMemo(() => conversations.list().reduce((sum, { unread }) => sum + unread, 0)),
    visitor,
    given: session.given,
    isAllowed: () => !settings().verifiedOnly || visitor()?.isVerified === true,
    unsent,
    outbox,
    send({ text, attachments, answers }) {
      if (!ref()) return
      outbox.add({ conversation: ref(), text, attachments, answers })
      setLasting(kept.isLasting())
    },
    ...drafts,
    isConnected: connection.isConnected,
    isLasting,
    isMuted: muted.read,
    setMuted: muted.write,
    dismissed: dismissed.read,
    dismiss: dismissed.write,
    markSeen() {
      const current = conversation()
      const newest = current && newestOfAgent(conversations.thread(current.id)?.messages ?? [])
      if (!current?.unread || !newest) return
      conversations.setSeen(current.id)
      // The same text may come again.
      kept.remove('dismissed')
      dismissed.reread()
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
    onMessage: connection.onMessage,
    stop() {
      connection.stop()
      stopListening()
    },
  }
}

/** A signal whose value survives a reload. */
function createKeptSignal<Value>(kept: KeptValues, name: string, first: Value) {
  const stored = () => kept.read<Value>(name) ?? first
  const [read, set] = createSignal(stored())
  return {
    read,
    /** In this tab, until it is loaded again. */
    set,
    write(value: Value): void {
      set(() => value)
      kept.write(name, value)
    },
    /** Another tab has changed it. */
    reread: () => void set(stored),
  }
}

/** What is typed and not sent yet, by conversation. */
function createDrafts(kept: KeptValues, session: VisitorSession, conversations: Conversations) {
  const nameOf = (id: string) => `${session.epoch()}:draft:${id}`

  function draftName(ref: string): string {
    return nameOf(conversations.find(ref)?.id ?? 'new')
  }

  /** It was begun before the conversation was known. */
  function isBegunHere(ref: string): boolean {
    return conversations.find(ref)?.clientId === ref
  }

  return {
    draft(ref: string): string {
      const before = isBegunHere(ref) ? kept.read<string>(nameOf('new')) : undefined
      return kept.read<string>(draftName(ref)) ?? before ?? ''
    },
    setDraft(ref: string, text: string): void {
      if (isBegunHere(ref)) kept.remove(nameOf('new'))
      if (text === '') kept.remove(draftName(ref))
      else kept.write(draftName(ref), text)
    },
  }
}

function isOf({ id, clientId }: Conversation, ref: string): boolean {
  return id === ref || clientId === ref
}

function newestOfAgent(messages: Message[]): Message | undefined {
  return messages.filter(({ from }) => from === 'agent').at(-1)
}
