import { createSignal, For, onCleanup, Show } from 'solid-js'
import type { Message } from '../contract.ts'
import { fill } from '../texts/texts.ts'
import type { UnsentMessage } from '../visitor/outbox.ts'
import { ChatAttachment } from './chat-attachment.tsx'
import { timeOf, useWidget } from './widget-context.ts'

const ALLOWED = new Set(['P', 'BR', 'STRONG', 'EM', 'A', 'UL', 'OL', 'LI', 'CODE', 'PRE', 'BLOCKQUOTE'])
const SAFE_HREF = /^(?:https?:|mailto:)/i

interface ChatMessageProps {
  message: Message
  before: Message | undefined
  after: Message | undefined
  isLastOfVisitor: boolean
}

/** One message, with its day above and its time and state below it. */
export function ChatMessage(props: ChatMessageProps) {
  const { client, texts, language } = useWidget()
  // A changed message is another object, and gets a row of its own.
  const { message } = props
  const isOfSame = (other: Message | undefined) =>
    other?.from === message.from && other.agentName === message.agentName
  const isGrouped = () => isOfSame(props.before) && !day()

  /** Before the first message of a day, unless all are of today. */
  function day(): string | undefined {
    const date = new Date(message.createdAt)
    const before = props.before ? new Date(props.before.createdAt) : new Date()
    if (date.toDateString() === before.toDateString()) return undefined
    return date.toLocaleString(language(), { weekday: 'long', day: 'numeric', month: 'long' })
  }

  function state(): string | undefined {
    if (message.from === 'agent') return message.isEmailed ? texts().emailed : undefined
    if (!props.isLastOfVisitor) return undefined
    const seenAt = client.conversation()?.agentSeenAt
    return seenAt && seenAt >= message.createdAt ? texts().seen : texts().sent
  }

  return (
    <>
      <Show when={day()}>{(text) => <p class="chat-thread-day chat-panel-soft">{text()}</p>}</Show>
      <Show
        when={message.from !== 'system'}
        fallback={<p class="chat-thread-note chat-panel-soft">{message.text}</p>}
      >
        <div
          class="chat-thread-message"
          classList={{
            'is-agent': message.from === 'agent',
            'is-mine': message.from === 'visitor',
            'is-grouped': isGrouped(),
          }}
        >
          <Show when={message.from === 'agent' && !isGrouped()}>
            <p class="chat-thread-name chat-panel-soft" dir="auto">
              {message.agentName ?? texts().someone}
            </p>
          </Show>
          <Show when={message.isRemoved}>
            <p class="chat-thread-state chat-panel-soft">{texts().removed}</p>
          </Show>
          <Show when={message.html ?? message.text}>
            <div class="chat-thread-bubble" classList={{ 'is-plain': message.html === null }} dir="auto">
              {message.html === null ? message.text : <ChatFormatted html={message.html} />}
            </div>
          </Show>
          <For each={message.attachments}>{(file) => <ChatAttachment file={file} />}</For>
          {/* One time stands below what one person wrote. */}
          <Show when={!isOfSame(props.after) || state()}>
            <p class="chat-thread-state chat-panel-soft">
              <time dir="auto">{timeOf(message.createdAt, language())}</time> <span>{state()}</span>
            </p>
          </Show>
        </div>
      </Show>
    </>
  )
}

/** An answer with formatting. */
function ChatFormatted(props: { html: string }) {
  return <div class="chat-formatted">{formattedNodes(props.html)}</div>
}

/**
 * The answer of an agent, rebuilt from the allowed elements. The server has made it safe already, but a page of someone
 * else's must not depend on that. Attributes are dropped, except the URLs of links.
 */
function formattedNodes(html: string): Node[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return nodesOf(body)
}

function nodesOf(parent: Node): Node[] {
  return [...parent.childNodes].flatMap((node) => {
    if (node.nodeType === Node.TEXT_NODE) return [document.createTextNode(node.textContent ?? '')]
    if (!(node instanceof Element)) return []
    if (!ALLOWED.has(node.tagName)) return /^(?:SCRIPT|STYLE)$/.test(node.tagName) ? [] : nodesOf(node)
    const copy = document.createElement(node.tagName)
    const href = node.getAttribute('href') ?? ''
    if (copy instanceof HTMLAnchorElement && SAFE_HREF.test(href)) {
      copy.href = href
      copy.target = '_blank'
      copy.rel = 'noopener noreferrer nofollow'
    }
    const start = Number(node.getAttribute('start'))
    if (copy instanceof HTMLOListElement && start > 1) copy.start = start
    copy.append(...nodesOf(node))
    return [copy]
  })
}

/** A message that the server doesn't have yet. */
export function ChatUnsent(props: { message: UnsentMessage }) {
  const { client, texts } = useWidget()
  const [now, setNow] = createSignal(Date.now())
  const timer = setInterval(() => setNow(Date.now()), 1_000)
  onCleanup(() => clearInterval(timer))

  function problem(): string | undefined {
    const { refusal } = props.message
    if (refusal?.code === 'visitor_blocked') return texts().blocked
    if (refusal?.code === 'unknown_conversation') return texts().gone
    if (refusal?.code === 'verification_required') return texts().verify
    if (refusal) return `${texts().notSent} ${refusal.detail}`
    const waiting = client.outbox.waiting()
    if (!waiting) return undefined
    if (waiting.reason === 'pause') {
      return fill(texts().slowDown, { seconds: Math.max(1, Math.ceil((waiting.untilMs - now()) / 1_000)) })
    }
    return navigator.onLine ? texts().notSent : texts().offline
  }

  const isPaused = () => client.outbox.waiting()?.reason === 'pause' && !props.message.refusal
  return (
    <div class="chat-thread-message is-mine is-unsent">
      <Show when={props.message.text}>
        <div class="chat-thread-bubble is-plain" dir="auto">
          {props.message.text}
        </div>
      </Show>
      <For each={props.message.attachments}>{(file) => <ChatAttachment file={file} />}</For>
      <p
        class="chat-thread-state chat-panel-soft"
        classList={{ 'is-problem': problem() !== undefined }}
        role="status"
      >
        {problem() ?? texts().sending}{' '}
        <Show when={problem() && !isPaused()}>
          <button
            type="button"
            class="chat-panel-link"
            onClick={() => client.outbox.retry(props.message.clientId)}
          >
            {texts().tryAgain}
          </button>{' '}
          <Show when={props.message.refusal}>
            <button
              type="button"
              class="chat-panel-link"
              onClick={() => client.outbox.discard(props.message.clientId)}
            >
              {texts().remove}
            </button>
          </Show>
        </Show>
      </p>
    </div>
  )
}
