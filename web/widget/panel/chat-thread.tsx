import { createEffect, createMemo, createSignal, For, Match, on, onCleanup, Show, Switch } from 'solid-js'
import type { Message } from '../contract.ts'
import { fill } from '../texts/texts.ts'
import css from './chat-thread.css?inline'
import { ChatAttachment, ChatUnsent } from './chat-unsent.tsx'
import { formattedNodes } from './formatted-html.ts'
import { adoptStyles, lazyPart } from './lazy-part.tsx'
import { timeOf, useWidget } from './widget-context.ts'

const ChatReach = lazyPart(async () => (await import('./chat-reach.tsx')).ChatReach)

const DAY_MS = 86_400_000
/** Nobody has answered for this long: ask for an address. */
const MAX_ANSWER_MS = 60_000
/** From the end, in pixels: nearer than this, new messages are scrolled to. */
const NEAR_END = 120

/** The messages of a conversation. */
export function ChatThread() {
  const { client, texts, language, shell } = useWidget()
  adoptStyles(shell, css)
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

  async function load(known: string): Promise<void> {
    setFailed(false)
    try {
      await client.conversations.loadThread(known)
    } catch {
      setFailed(true)
    }
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
  createEffect(on([id, client.isOpen, () => thread()?.isLoaded], () => queueMicrotask(scrollToEnd)))
  createEffect(
    on([() => messages().at(-1)?.id, () => unsent().length, isTyping], () => {
      const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END
      if (isNear || unsent().length > 0) queueMicrotask(scrollToEnd)
    }),
  )

  /** Until the visitor has an answer, or an address. */
  createEffect(
    on([() => messages().at(-1)?.id, () => client.settings().isOpen], () => {
      const isAnswered = messages().at(-1)?.from !== 'visitor'
      const visitor = client.visitor()
      if (isAnswered || !visitor || visitor.email) return setWaiting(false)
      const timer = setTimeout(setWaiting, client.settings().isOpen ? MAX_ANSWER_MS : 0, true)
      onCleanup(() => clearTimeout(timer))
    }),
  )

  client.onMessage((message) => {
    const name = message.agentName ?? texts().someone
    setAnnounced(fill(texts().newMessage, { name, text: message.text }))
  })

  function dayOf(message: Message, before: Message | undefined): string | undefined {
    const date = new Date(message.createdAt)
    if (before && new Date(before.createdAt).toDateString() === date.toDateString()) return undefined
    if (date.toDateString() === new Date().toDateString()) return texts().today
    if (date.toDateString() === new Date(Date.now() - DAY_MS).toDateString()) return texts().yesterday
    return new Intl.DateTimeFormat(language(), { day: 'numeric', month: 'long', year: 'numeric' }).format(
      date,
    )
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
      aria-label={texts().message}
    >
      <Switch>
        <Match when={isEmpty()}>
          <div class="chat-thread-message is-agent">
            <div class="chat-thread-bubble" dir="auto">
              {client.settings().greeting || texts().greeting}
            </div>
          </div>
        </Match>
        <Match when={isFailed()}>
          <p class="chat-thread-note">
            {texts().loadFailed}{' '}
            <button type="button" class="chat-panel-link" onClick={() => void load(id() ?? '')}>
              {texts().tryAgain}
            </button>
          </p>
        </Match>
        <Match when={id() !== undefined && !thread()?.isLoaded && messages().length === 0}>
          <p class="chat-thread-note">{texts().loading}</p>
        </Match>
        <Match when={thread()?.hasOlder}>
          <button
            type="button"
            class="chat-panel-link chat-thread-older"
            onClick={() => void loadOlder(id() ?? '')}
          >
            {texts().loadOlder}
          </button>
        </Match>
      </Switch>
      <For each={messages()}>
        {(message, at) => {
          const before = () => messages()[at() - 1]
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
                  <Show when={message.text !== ''}>
                    <div
                      class="chat-thread-bubble"
                      classList={{ 'is-plain': message.html === null }}
                      dir="auto"
                      title={timeOf(message.createdAt, language())}
                    >
                      {message.html === null ? message.text : formattedNodes(message.html)}
                    </div>
                  </Show>
                  <For each={message.attachments}>{(file) => <ChatAttachment file={file} />}</For>
                  <Show when={stateOf(message)}>{(state) => <p class="chat-thread-state">{state()}</p>}</Show>
                </div>
              </Show>
            </>
          )
        }}
      </For>
      <For each={unsent()}>{(message) => <ChatUnsent message={message} />}</For>
      <Show when={isTyping()}>
        <p class="chat-thread-typing">
          <span class="chat-thread-dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {fill(texts().typing, { name: client.conversations.typing()?.agentName ?? texts().someone })}
        </p>
      </Show>
      <Show when={!client.settings().isOpen && !messages().some(({ from }) => from === 'agent')}>
        <p class="chat-thread-away" dir="auto">
          {client.settings().awayText || texts().away}
        </p>
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
