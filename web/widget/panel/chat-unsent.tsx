import { createSignal, For, onCleanup, Show } from 'solid-js'
import { fill } from '../texts/texts.ts'
import type { UnsentMessage } from '../visitor/outbox.ts'
import { ChatAttachment } from './chat-attachment.tsx'
import { useWidget } from './widget-context.ts'

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
      <Show when={props.message.text !== ''}>
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
