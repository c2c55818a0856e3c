import { createSignal } from 'solid-js'
import type { Conversation, Message, WidgetSettings } from '../contract.ts'
import type { Texts } from '../texts/en.ts'
import type { Conversations } from '../visitor/conversations.ts'
import { newClientId } from '../visitor/kept-values.ts'
import { ApiProblem } from '../visitor/visitor-api.ts'
import type { Route, WidgetClient } from '../visitor/widget-client.ts'

const ID = 'sample'
const AGO_MS = 120_000
/** What the visitor asks and the agent answers. Visitors don't load it. */
const SAMPLES: Record<string, [question: string, answer: string]> = {
  de: ['Meine Bestellung ist noch nicht da. Können Sie nachsehen?', 'Sie ist unterwegs und kommt morgen an.'],
  en: ['My order hasn’t arrived yet. Can you check?', 'It’s on its way and arrives tomorrow.'],
  es: ['Mi pedido aún no ha llegado. ¿Puedes comprobarlo?', 'Está en camino y llega mañana.'],
  fr: ['Ma commande n’est pas encore arrivée. Pouvez-vous vérifier ?', 'Elle est en route et arrive demain.'],
  pt: ['Meu pedido ainda não chegou. Pode verificar?', 'Está a caminho e chega amanhã.'],
}

/** For the settings page: the widget with sample messages. It calls no server and stores nothing. */
export function createSampleClient(
  first: WidgetSettings,
  texts: () => Texts,
  language: () => string,
): WidgetClient {
  const now = new Date().toISOString()
  const before = new Date(Date.now() - AGO_MS).toISOString()
  const [settings, setSettings] = createSignal(first)
  const [isOpen, setOpen] = createSignal(true)
  const [route, setRoute] = createSignal<Route>({ page: 'conversation', ref: ID })
  const [isMuted, setMuted] = createSignal(false)
  const sampleText = (at: 0 | 1) => SAMPLES[language()]?.[at] ?? ''
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
    preview: { text: sampleText(1), isMine: false },
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
        message('2', { text: sampleText(0), createdAt: before }),
        message('3', { from: 'agent', agentName: 'Ana Pires', text: sampleText(1) }),
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
  function ref(): string {
    const current = route()
    return current.page === 'conversation' ? current.ref : ''
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
    ref,
    conversation: () => conversations.find(ref()),
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
