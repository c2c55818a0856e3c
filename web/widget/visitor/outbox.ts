import { createSignal } from 'solid-js'
import type { Attachment, Conversation, Message } from '../contract.ts'
import { type KeptValues, newClientId } from './kept-values.ts'
import { ApiProblem, type VisitorApi } from './visitor-api.ts'
import { currentPage, type VisitorSession } from './visitor-session.ts'

// What was written leaves the outbox when the server has stored it. Each message is a value of its own, so that two tabs that
// write at the same time don't overwrite each other. A lock lets one tab send at a time, in the order of writing.

/** What the visitor answered before the first message. */
export interface Answers {
  name?: string
  email?: string
  fields?: Record<string, string>
}

export interface UnsentMessage {
  clientId: string
  /** The id of the server, or one that a page made for a new conversation. */
  conversation: string
  text: string
  attachments: Attachment[]
  answers: Answers
  /** For the order only: the clock may be wrong. */
  at: number
  /** Why the server doesn't take it; null while it is retried. */
  refusal: { code: string; detail: string } | null
}

/** Why the messages wait: `pause` is at the server's request. */
type Waiting = { reason: 'unreachable' | 'pause'; untilMs: number } | undefined

const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox(given: {
  name: string
  api: VisitorApi
  kept: KeptValues
  session: VisitorSession
  onSent(answer: { conversation: Conversation; message: Message }): void
}) {
  const { api, kept, session } = given
  const [messages, setMessages] = createSignal<UnsentMessage[]>(read())
  const [waiting, setWaiting] = createSignal<Waiting>()
  let isSending = false
  let isAskedAgain = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function nameOf(clientId: string, epoch = session.epoch()): string {
    return `${epoch}:unsent:${clientId}`
  }

  function read(epoch = session.epoch()): UnsentMessage[] {
    return kept
      .names(nameOf('', epoch))
      .map((name) => kept.read<UnsentMessage>(name))
      .filter((message) => message !== undefined)
      .sort((one, other) => one.at - other.at)
  }

  function reread(): void {
    setMessages(read())
  }

  function store(message: UnsentMessage): void {
    kept.write(nameOf(message.clientId), message)
    reread()
  }

  function remove(clientId: string): void {
    kept.remove(nameOf(clientId))
    reread()
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    isAskedAgain = isSending
    if (isSending) return
    isSending = true
    try {
      if (navigator.locks) await navigator.locks.request(`${given.name}:send`, sendAll)
      else await sendAll()
    } finally {
      isSending = false
    }
    if (isAskedAgain) void flush()
  }

  async function sendAll(): Promise<void> {
    for (;;) {
      const message = read().find(({ refusal }) => !refusal)
      if (!message) return
      const epoch = session.epoch()
      try {
        await session.require()
        const answer = await put(message)
        if (session.epoch() !== epoch) continue
        const { name, email } = message.answers
        const visitor = session.visitor()
        if (visitor && (name || email)) {
          session.setVisitor({ ...visitor, name: name ?? visitor.name, email: email ?? visitor.email })
        }
        given.onSent(answer)
        remove(message.clientId)
        failures = 0
        setWaiting(undefined)
      } catch (error) {
        if (session.epoch() !== epoch) continue
        if (!handle(message, error)) return
      }
    }
  }

  function put({ conversation, clientId, text, attachments, answers }: UnsentMessage) {
    return api.call<{ conversation: Conversation; message: Message }>(
      'PUT',
      `conversations/${conversation}/messages/${clientId}`,
      { text, attachments: attachments.map(({ id }) => id), ...answers, page: currentPage() },
    )
  }

  /** Returns whether the next message can be sent now. */
  function handle(message: UnsentMessage, error: unknown): boolean {
    if (!(error instanceof ApiProblem)) throw error
    if (error.isTemporary) {
      const spread = Math.min(FIRST_WAIT_MS * 2 ** failures, MAX_WAIT_MS)
      failures += 1
      const ms = error.pauseMs || spread * (0.5 + Math.random() / 2)
      setWaiting({ reason: error.pauseMs ? 'pause' : 'unreachable', untilMs: Date.now() + ms })
      timer = setTimeout(flush, ms)
      return false
    }
    if (error.code === 'invalid_visitor' && session.token()) {
      // Ninety days without a visit. A new session can't reach the old conversations, so this begins a new one.
      session.expire()
      retarget()
      return true
    }
    store({ ...message, refusal: { code: error.code, detail: error.message } })
    return true
  }

  function retarget(): void {
    const conversation = newClientId()
    for (const message of read()) kept.write(nameOf(message.clientId), { ...message, conversation })
    reread()
  }

  return {
    messages,
    waiting,
    reread,
    /** Sends what waits, now. */
    flush: () => void flush(),
    add(message: Pick<UnsentMessage, 'conversation' | 'text' | 'attachments' | 'answers'>): void {
      const at = Math.max(Date.now(), ...read().map((one) => one.at + 1))
      store({ ...message, clientId: newClientId(), at, refusal: null })
      void flush()
    },
    retry(clientId: string): void {
      const message = read().find((one) => one.clientId === clientId)
      if (message?.refusal) {
        // Under a new id, because the server may have stored another message under this one.
        kept.remove(nameOf(clientId))
        const isGone = message.refusal.code === 'unknown_conversation'
        const conversation = isGone ? newClientId() : message.conversation
        store({ ...message, conversation, clientId: newClientId(), refusal: null })
      }
      void flush()
    },
    discard: remove,
    /** Drops the messages of a user who has left. With `keep`, what an anonymous visitor wrote goes to the user they turned out to be. */
    dropEpoch(epoch: string, keep: boolean): void {
      const conversation = newClientId()
      for (const message of read(epoch)) {
        kept.remove(nameOf(message.clientId, epoch))
        if (keep) kept.write(nameOf(message.clientId), { ...message, conversation })
      }
      setWaiting(undefined)
      reread()
      if (keep) void flush()
    },
  }
}
