import { createSignal } from 'solid-js'
import type { Conversation, Message } from '../contract.ts'
import type { VisitorApi } from './visitor-api.ts'
import type { NumberedEvent } from './visitor-stream.ts'

interface Thread {
  messages: Message[]
  hasOlder: boolean
  isLoaded: boolean
}

interface Typing {
  conversationId: string
  agentName: string
}

const RELOAD_MS = 3_000
/** An agent's page that goes away doesn't say that its agent has stopped typing. */
const MAX_TYPING_MS = 12_000

export type Conversations = ReturnType<typeof createConversations>

/** The visitor's conversations, as far as they were read. */
export function createConversations(api: VisitorApi) {
  const [list, setList] = createSignal<Conversation[]>([])
  const [threads, setThreads] = createSignal<Record<string, Thread>>({})
  const [typing, setTyping] = createSignal<Typing>()
  let number = 0
  /** Changed when another visitor takes over. */
  let visit = 0
  let typingEnd: ReturnType<typeof setTimeout> | undefined

  /** By the server's id or by the one that the page made. */
  function find(ref: string): Conversation | undefined {
    return list().find(({ id, clientId }) => id === ref || clientId === ref)
  }

  async function load(): Promise<void> {
    const own = visit
    const answer = await api.call<{ data: Conversation[]; event: number }>('GET', 'conversations')
    if (own !== visit) return
    setList(answer.data)
    number = Math.max(number, answer.event)
  }

  async function loadThread(id: string): Promise<void> {
    const own = visit
    const answer = await readThread(id)
    if (own !== visit) return
    putConversation(answer.conversation)
    const known = threads()[id]?.messages ?? []
    const last = answer.messages.at(-1)
    // Older ones were read again, or some may be missing between.
    const joined = last ? known.filter((one) => one.createdAt > last.createdAt) : known
    setThread(id, { messages: merge(joined, answer.messages), hasOlder: answer.hasOlder, isLoaded: true })
  }

  async function loadOlder(id: string): Promise<void> {
    const own = visit
    const first = threads()[id]?.messages[0]
    if (!first) return
    const answer = await readThread(id, `?before=${first.id}`)
    const thread = threads()[id]
    if (own !== visit || !thread) return
    setThread(id, { ...thread, messages: merge(thread.messages, answer.messages), hasOlder: answer.hasOlder })
  }

  function readThread(id: string, query = '') {
    return api.call<{ conversation: Conversation; messages: Message[]; hasOlder: boolean }>(
      'GET',
      `conversations/${id}${query}`,
    )
  }

  function setThread(id: string, thread: Thread): void {
    setThreads({ ...threads(), [id]: thread })
  }

  function putConversation(conversation: Conversation): void {
    const others = list().filter(({ id }) => id !== conversation.id)
    setList([conversation, ...others].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)))
  }

  function put(conversation: Conversation, message?: Message): void {
    // Before the count of unread ones, so that what marks them as seen knows the newest.
    if (message) {
      const thread = threads()[conversation.id]
      const known = thread ?? { messages: [], hasOlder: false, isLoaded: false }
      setThread(conversation.id, { ...known, messages: merge(known.messages, [message]) })
      if (message.from === 'agent') setTyping(undefined)
    }
    putConversation(conversation)
  }

  function remove(id: string, messageId: string): void {
    const thread = threads()[id]
    if (thread) setThread(id, { ...thread, messages: thread.messages.filter((one) => one.id !== messageId) })
  }

  function apply(event: NumberedEvent): void {
    // Events that were sent before the list was read are in it already.
    if (event.event === 'hello') number = Math.max(number, event.number)
    else if (event.number !== undefined && event.event !== 'reset') {
      if (event.number < number) return
      number = event.number
    }
    switch (event.event) {
      case 'message':
        put(event.conversation, event.message)
        break
      case 'removed':
        remove(event.conversation.id, event.messageId)
        putConversation(event.conversation)
        break
      case 'conversation':
        putConversation(event.conversation)
        break
      case 'deleted':
        setList(list().filter(({ id }) => id !== event.conversationId))
        break
      case 'typing':
        clearTimeout(typingEnd)
        setTyping(event.isTyping ? event : undefined)
        typingEnd = setTimeout(() => setTyping(undefined), MAX_TYPING_MS)
        break
      case 'reset':
        number = event.number
        void reload(visit)
    }
  }

  /** Too much was missed. What is shown stays until it is read again. */
  async function reload(own: number): Promise<void> {
    if (own !== visit) return
    try {
      await load()
      for (const id of Object.keys(threads())) if (find(id)) await loadThread(id)
    } catch {
      // The server went away again.
      setTimeout(reload, RELOAD_MS * (0.5 + Math.random()), own)
    }
  }

  return {
    /** Newest activity first. */
    list,
    find,
    thread: (id: string): Thread | undefined => threads()[id],
    typing,
    /** The number to open the stream after. */
    after: () => number,
    load,
    loadThread,
    loadOlder,
    put,
    apply,
    setSeen(id: string): void {
      const conversation = find(id)
      if (conversation?.unread) putConversation({ ...conversation, unread: 0 })
    },
    clear(): void {
      visit += 1
      number = 0
      clearTimeout(typingEnd)
      setList([])
      setThreads({})
      setTyping(undefined)
    },
  }
}

/** By id, in the order of writing. The objects of messages that didn't change stay, so that they aren't drawn again. */
function merge(known: Message[], more: Message[]): Message[] {
  const byId = new Map(known.map((message) => [message.id, message]))
  for (const message of more) {
    const old = byId.get(message.id)
    if (!old || JSON.stringify(old) !== JSON.stringify(message)) byId.set(message.id, message)
  }
  return [...byId.values()].sort((a, b) =>
    a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1,
  )
}
