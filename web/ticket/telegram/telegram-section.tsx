import { Show } from 'solid-js'
import { Badge } from '../../ui/badge.tsx'
import type { ReplyDestination } from '../ticket-query.ts'

/** The chat of a ticket in Telegram: who it is with, and whether it can be reached. A ticket of the API has none. */
export function TelegramSection(props: { reply: ReplyDestination }) {
  const isGone = () => props.reply.problem?.effect === 'fails'
  return (
    <Show when={props.reply.chat}>
      {(chat) => (
        <section class="customer-panel-section">
          <h3>
            Telegram{' '}
            <Show when={isGone()}>
              <Badge tone="red">Can't be reached</Badge>
            </Show>
          </h3>
          <Show when={isGone()}>
            <p class="customer-panel-none">
              {props.reply.problem?.reason}
              {props.reply.by === 'telegram' && ' Replies fail until they write again.'}
            </p>
          </Show>
          <dl class="customer-panel-facts">
            <dt>Name</dt>
            <dd>{chat().name}</dd>
            <Show when={chat().username}>
              {(username) => (
                <>
                  <dt>User name</dt>
                  <dd>
                    <a href={`https://t.me/${username()}`} target="_blank" rel="noopener noreferrer">
                      @{username()}
                    </a>
                  </dd>
                </>
              )}
            </Show>
            <dt>Bot</dt>
            <dd>{chat().bot}</dd>
          </dl>
        </section>
      )}
    </Show>
  )
}

/** Where a reply in Telegram goes. */
export function TelegramDestination(props: { reply: ReplyDestination }) {
  return (
    <Show when={props.reply.chat}>
      {(chat) => (
        <p>
          Goes to {chat().name} in Telegram, from {chat().bot}
        </p>
      )}
    </Show>
  )
}
