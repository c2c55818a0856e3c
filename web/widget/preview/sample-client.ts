import { createSignal } from 'solid-js'
import type { Conversation, Message, WidgetSettings } from '../contract.ts'
import type { Texts } from '../texts/en.ts'
import { newClientId } from '../visitor/client-ids.ts'
import type { Conversations } from '../visitor/conversations.ts'
import { ApiProblem } from '../visitor/visitor-api.ts'
import type { Route, WidgetClient } from '../visitor/widget-client.ts'

const ID = 'sample'
const AGO_MS = 120_000

/** For the settings page: the widget with sample messages. It calls no server and stores nothing. */
export function createSampleClient(first: WidgetSettings, texts: () => Texts): WidgetClient {
  const now = new Date().toISOString()
  const before = new Date(Date.now() - AGO_MS).toISOString()
  const [settings, setSettings] = createSignal(first)
  const [isOpen, setOpen] = createSignal(true)
  const [route, setRoute] = createSignal<Route>({ page: 'conversation', ref: ID })
  const [isMuted, setMuted] = createSignal(false)
  const [more, setMore] = createSignal<Message[]>([])

  function message(id: string, own: Partial<Message>): Message {
    const empty = { clientId: null, agentName: null, html: null, attachments: [], isEmailed: false }
    return { ...empty, id, conversationId: ID, from: 'visitor', text: '', createdAt: now, ...own }
  }

  const [isSent, setSent] = createSignal(false)
  /** Whether to show a visitor who hasn't written yet. */
  const isFirst = () => settings().sample === 'first' && !isSent()

  const sample = (): Conversation => ({
    id: ID,
    clientId: null,
    state: 'open',
    preview: { text: texts().sampleAnswer, isMine: false },
    updatedAt: now,
    unread: 0,
    agent: { name: 'Ana Pires' },
    agentSeenAt: now,
  })
  const conversations: Conversations = {
    list: () => (isFirst() ? [] : [sample()]),
    find: (ref) => (ref === ID && !isFirst() ? sample() : undefined),
    thread: () => ({
      messages: [
        message('1', {
          from: 'agent',
          agentName: settings().title || texts().someone,
          text: settings().greeting || texts().greeting,
          createdAt: before,
        }),
        message('2', { text: texts().sampleQuestion, createdAt: before }),
        message('3', { from: 'agent', agentName: 'Ana Pires', text: texts().sampleAnswer }),
        ...more(),
      ],
      hasOlder: false,
      isLoaded: true,
    }),
    typing: () => undefined,
    after: () => 0,
    load: async () => {},
    loadThread: async () => {},
    loadOlder: async () => {},
    put() {},
    apply() {},
    setSeen() {},
    clear() {},
  }
  const nothing = async () => {}
  return {
    settings,
    setSettings(next) {
      setSent(false)
      setSettings(next)
    },
    isOpen,
    setOpen,
    route,
    go: (next) => setRoute(next === 'new' ? { page: 'conversation', ref: newClientId() } : next),
    conversation: () => {
      const current = route()
      return current.page === 'conversation' ? conversations.find(current.ref) : undefined
    },
    conversations,
    unread: () => 0,
    visitor: () => undefined,
    given: () => ({}),
    isAllowed: () => true,
    unsent: () => [],
    outbox: { waiting: () => undefined, retry() {}, discard() {} },
    send({ text }) {
      setMore([...more(), message(newClientId(), { text })])
      setSent(true)
      setRoute({ page: 'conversation', ref: ID })
    },
    draft: () => '',
    setDraft() {},
    isConnected: () => true,
    isLasting: () => true,
    isMuted,
    setMuted,
    dismissed: () => '',
    dismiss() {},
    markSeen() {},
    setTyping() {},
    saveEmail: nothing,
    endConversation: nothing,
    readFile: async () => {
      throw new ApiProblem(404, 'unknown_file', '')
    },
    api: undefined,
    identify: nothing,
    logout() {},
    onMessage() {},
    stop() {},
  }
}
