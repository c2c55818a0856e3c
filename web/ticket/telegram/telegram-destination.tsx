import { Show } from 'solid-js'
import type { ReplyDestination } from '../ticket-query.ts'

/** Where a reply in Telegram goes. */
export function TelegramDestination(props: { reply: ReplyDestination }) {
  return (
    <Show when={props.reply.telegram}>
      {(chat) => (
        <p>
          Goes to {chat().name} in Telegram, from {chat().bot}
        </p>
      )}
    </Show>
  )
}
