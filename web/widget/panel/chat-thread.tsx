import { createEffect, createMemo, createSignal, For, onCleanup, Show, untrack } from 'solid-js'
import type { Message } from '../contract.ts'
import { fill } from '../texts/texts.ts'
import { ChatAttachment } from './chat-attachment.tsx'
import { ChatFormatted } from './chat-formatted.tsx'
import { ChatAway, ChatReach } from './chat-reach.tsx'
import { ChatUnsent } from './chat-unsent.tsx'
import { timeOf, useWidget } from './widget-context.ts'

/** No one has answered for this long: ask for an address. */
const MAX_ANSWER_MS = 60_000
/** From the end, in pixels: nearer than this, new messages are scrolled to. */
const NEAR_END = 120

/** The messages of a conversation. */
export function ChatThread() {
  const { client, texts, language } = useWidget()
  const [isWaiting, setWaiting] = createSignal(false)
  const [isFailed, setFailed] = createSignal(false)
  const [announced, setAnnounced] = createSignal('')
  let scroller!: HTMLDivElement

  const id = createMemo(() => client.conversation()?.id)
  const ref = createMemo(() => {
    const route = client.route()
    return route.page === 'conversation' ? route.ref : ''
  })
  const thread = () => {
    const known = id()
    return known === undefined ? undefined : client.conversations.thread(known)
  }
  const messages = () => thread()?.messages ?? []
  const unsent = createMemo(() => client.unsent(ref()))
  const isTyping = () => client.conversations.typing()?.conversationId === id() && id() !== undefined
  const isEmpty = () => id() === undefined && unsent().length === 0
  const lastOfVisitor = () =>
    messages()
      .filter(({ from }) => from === 'visitor')
      .at(-1)

  createEffect(() => {
    const known = id()
    if (known !== undefined && client.isOpen() && !client.conversations.thread(known)?.isLoaded)
      void load(known)
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

  const lastId = createMemo(() => messages().at(-1)?.id)
  /** Until the visitor has an answer, or an address. */
  createEffect(() => {
    const isAnswered = lastId() === undefined || messages().at(-1)?.from !== 'visitor'
    // Not tracked: the thanks for an address stay.
    const visitor = untrack(client.visitor)
    const isClosed = !client.settings().isOpen
    if (isAnswered || !visitor || visitor.email) setWaiting(false)
    else {
      const timer = setTimeout(setWaiting, isClosed ? 0 : MAX_ANSWER_MS, true)
      onCleanup(() => clearTimeout(timer))
    }
  })

  client.onMessage((message) => {
    const name = message.agentName ?? texts().someone
    setAnnounced(fill(texts().newMessage, { name, text: message.text }))
  })

  /** Before the first message of a day, unless all are of today. */
  function dayOf(message: Message, before: Message | undefined): string | undefined {
    const date = new Date(message.createdAt)
    const day = date.toDateString()
    if (day === (before ? new Date(before.createdAt) : new Date()).toDateString()) return undefined
    return date.toLocaleString(language(), { weekday: 'long', day: 'numeric', month: 'long' })
  }

  function stateOf(message: Message): string | undefined {
    if (message.from === 'agent') return message.isEmailed ? texts().emailed : undefined
    if (message !== lastOfVisitor()) return undefined
    const seenAt = client.conversation()?.agentSeenAt
    return seenAt && seenAt >= message.createdAt ? texts().seen : texts().sent
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
        <p class="chat-thread-note">
          {texts().loadFailed}{' '}
          <button type="button" class="chat-panel-link" onClick={() => void load(id() ?? '')}>
            {texts().tryAgain}
          </button>
        </p>
      </Show>
      <Show when={thread()?.hasOlder}>
        <button
          type="button"
          class="chat-panel-link chat-thread-older"
          onClick={() => void loadOlder(id() ?? '')}
        >
          {texts().loadOlder}
        </button>
      </Show>
      <For each={messages()}>
        {(message, at) => {
          const before = () => messages()[at() - 1]
          const after = () => messages()[at() + 1]
          /** One time stands below what one person wrote. */
          const isLast = () => after()?.from !== message.from || after()?.agentName !== message.agentName
          const isGrouped = () => before()?.from === message.from && before()?.agentName === message.agentName
          return (
            <>
              <Show when={dayOf(message, before())}>{(day) => <p class="chat-thread-day">{day()}</p>}</Show>
              <Show
                when={message.from !== 'system'}
                fallback={<p class="chat-thread-note">{message.text}</p>}
              >
                <div
                  class="chat-thread-message"
                  classList={{
                    'is-agent': message.from === 'agent',
                    'is-mine': message.from === 'visitor',
                    'is-grouped': isGrouped() && !dayOf(message, before()),
                  }}
                >
                  <Show when={message.from === 'agent' && !(isGrouped() && !dayOf(message, before()))}>
                    <p class="chat-thread-name" dir="auto">
                      {message.agentName ?? texts().someone}
                    </p>
                  </Show>
                  <Show when={message.isRemoved}>
                    <p class="chat-thread-state">{texts().removed}</p>
                  </Show>
                  <Show when={message.text !== ''}>
                    <div
                      class="chat-thread-bubble"
                      classList={{ 'is-plain': message.html === null }}
                      dir="auto"
                    >
                      {message.html === null ? message.text : <ChatFormatted html={message.html} />}
                    </div>
                  </Show>
                  <For each={message.attachments}>{(file) => <ChatAttachment file={file} />}</For>
                  <Show when={isLast() || stateOf(message)}>
                    <p class="chat-thread-state">
                      <time dir="auto">{timeOf(message.createdAt, language())}</time>{' '}
                      <span>{stateOf(message)}</span>
                    </p>
                  </Show>
                </div>
              </Show>
            </>
          )
        }}
      </For>
      <For each={unsent()}>{(message) => <ChatUnsent message={message} />}</For>
      <Show when={isTyping()}>
        <p class="chat-thread-typing">
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
        <p class="chat-thread-note">
          {texts().conversationEnded}{' '}
          <button type="button" class="chat-panel-link" onClick={() => client.go('new')}>
            {texts().startNew}
          </button>
        </p>
      </Show>
      <Show when={!client.isLasting()}>
        <p class="chat-thread-note">{texts().notRemembered}</p>
      </Show>
      <p class="chat-panel-hidden" aria-live="polite">
        {announced()}
      </p>
    </div>
  )
}
