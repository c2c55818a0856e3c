import { Show } from 'solid-js'
import { ChatIcon, CLOSE } from './chat-attachment.tsx'
import { useWidget } from './widget-context.ts'

/** The first lines of an unread answer beside the launcher, while the panel is closed: until it is opened or dismissed. */
export function ChatBubble() {
  const { client, texts } = useWidget()
  const answered = () => client.conversations.list().find(({ unread }) => unread > 0)
  const answer = () => {
    const { id, unread, preview, agent } = answered() ?? {}
    if (id === undefined || client.isOpen() || !preview || preview.isMine) return undefined
    const key = `${id} ${unread} ${preview.text}`
    return client.dismissed() === key ? undefined : { id, key, text: preview.text || texts().file, agent }
  }
  return (
    <Show when={answer()}>
      {(shown) => (
        <div class="chat-bubble" role="status">
          <button
            type="button"
            class="chat-bubble-answer"
            dir="auto"
            onClick={() => {
              client.go({ page: 'conversation', ref: shown().id })
              client.setOpen(true)
            }}
          >
            <b>{shown().agent?.name ?? texts().someone}</b>
            <span>{shown().text}</span>
          </button>
          <button
            type="button"
            class="chat-bubble-close"
            aria-label={texts().dismiss}
            onClick={() => client.dismiss(shown().key)}
          >
            <ChatIcon path={CLOSE} />
          </button>
        </div>
      )}
    </Show>
  )
}
