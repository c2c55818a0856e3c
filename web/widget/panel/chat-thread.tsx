import { createEffect, createMemo, createSignal, For, onCleanup, Show, untrack } from 'solid-js'
import type { Message } from '../contract.ts'
import { fill } from '../texts/texts.ts'
import { ChatMessage, ChatUnsent } from './chat-message.tsx'
import { ChatAway, ChatReach } from './chat-reach.tsx'
import { useWidget } from './widget-context.ts'

/** No one has answered for this long: ask for an address. */
const MAX_ANSWER_MS = 60_000
/** From the end, in pixels: nearer than this, new messages are scrolled to. */
const NEAR_END = 120

/** The messages of a conversation. */
export function ChatThread() {
  const { client, texts } = useWidget()
  const [isWaiting, setWaiting] = createSignal(false)
  const [isFailed, setFailed] = createSignal(false)
  const [newest, setNewest] = createSignal<Message>()
  let scroller!: HTMLDivElement

  const id = createMemo(() => client.conversation()?.id)
  const thread = () => client.conversations.thread(id() ?? '')
  const messages = () => thread()?.messages ?? []
  const unsent = createMemo(() => client.unsent(client.ref()))
  const isTyping = () => client.conversations.typing()?.conversationId === id() && id() !== undefined
  const isEmpty = () => id() === undefined && unsent().length === 0
  const lastOfVisitor = () => messages().findLast(({ from }) => from === 'visitor')

  createEffect(() => {
    const known = id()
    if (known !== undefined && client.isOpen() && !thread()?.isLoaded) void load(known)
  })

  let loading: string | undefined
  async function load(known: string): Promise<void> {
    if (loading === known) return
    loading = known
    setFailed(false)
    try {
      await client.conversations.loadThread(known)
    } catch {
      setFailed(true)
    }
    loading = undefined
  }

  /** Keeps what is read in place. */
  async function loadOlder(known: string): Promise<void> {
    const before = scroller.scrollHeight
    try {
      await client.conversations.loadOlder(known)
      scroller.scrollTop += scroller.scrollHeight - before
    } catch {
      setFailed(true)
    }
  }

  function markSeen(): void {
    if (client.isOpen() && !document.hidden && messages().length > 0) client.markSeen()
  }
  createEffect(markSeen)
  document.addEventListener('visibilitychange', markSeen)
  onCleanup(() => document.removeEventListener('visibilitychange', markSeen))

  function scrollToEnd(): void {
    scroller.scrollTop = scroller.scrollHeight
  }
  let shown: string | undefined
  createEffect(() => {
    // What a new message changes, and what shows another thread.
    const [known, isOpen, isLoaded] = [id(), client.isOpen(), thread()?.isLoaded]
    const mine = unsent().length
    const now = [known, isOpen, isLoaded].join()
    messages()
    isTyping()
    const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END
    if (isNear || mine > 0 || now !== shown) queueMicrotask(scrollToEnd)
    shown = now
  })

  /** Until the visitor has an answer, or an address. */
  createEffect(() => {
    const isAnswered = messages().at(-1)?.from !== 'visitor'
    // Not tracked: the thanks for an address stay.
    const visitor = untrack(client.visitor)
    const isClosed = !client.settings().isOpen
    if (isAnswered || !visitor || visitor.email) setWaiting(false)
    else {
      const timer = setTimeout(setWaiting, isClosed ? 0 : MAX_ANSWER_MS, true)
      onCleanup(() => clearTimeout(timer))
    }
  })

  client.onMessage(setNewest)
  /** Until it is taken back. */
  function announced() {
    const { conversationId = '', id } = newest() ?? {}
    const message = client.conversations.thread(conversationId)?.messages.find((one) => one.id === id)
    return message && !message.isRemoved
      ? fill(texts().newMessage, { name: message.agentName ?? texts().someone, text: message.text })
      : ''
  }

  return (
    <div
      ref={scroller}
      class="chat-thread"
      tabindex="0"
      role="log"
      aria-live="off"
      aria-label={client.settings().title || texts().conversations}
    >
      <Show when={isEmpty()}>
        <p class="chat-thread-greeting" dir="auto">
          {client.settings().greeting || texts().greeting}
        </p>
      </Show>
      <Show when={isFailed()}>
        <p class="chat-thread-note chat-panel-soft">
          {texts().loadFailed}{' '}
          <button type="button" class="chat-panel-link" onClick={() => void load(id() ?? '')}>
            {texts().tryAgain}
          </button>
        </p>
      </Show>
      <Show when={thread()?.hasOlder}>
        <button type="button" class="chat-panel-link" onClick={() => void loadOlder(id() ?? '')}>
          {texts().loadOlder}
        </button>
      </Show>
      <For each={messages()}>
        {(message, at) => (
          <ChatMessage
            message={message}
            before={messages()[at() - 1]}
            after={messages()[at() + 1]}
            isLastOfVisitor={message === lastOfVisitor()}
          />
        )}
      </For>
      <For each={unsent()}>{(message) => <ChatUnsent message={message} />}</For>
      <Show when={isTyping()}>
        <p class="chat-thread-typing chat-panel-soft">
          {fill(texts().typing, { name: client.conversations.typing()?.agentName ?? texts().someone })}
        </p>
      </Show>
      <Show when={!client.settings().isOpen && !messages().some(({ from }) => from === 'agent')}>
        <ChatAway />
      </Show>
      <Show when={isWaiting()}>
        <ChatReach />
      </Show>
      <Show when={client.conversation()?.state === 'ended'}>
        <p class="chat-thread-note chat-panel-soft">
          {texts().conversationEnded}{' '}
          <button type="button" class="chat-panel-link" onClick={() => client.go('new')}>
            {texts().startNew}
          </button>
        </p>
      </Show>
      <Show when={!client.isLasting()}>
        <p class="chat-thread-note chat-panel-soft">{texts().notRemembered}</p>
      </Show>
      <p class="chat-panel-hidden" aria-live="polite">
        {announced()}
      </p>
    </div>
  )
}
