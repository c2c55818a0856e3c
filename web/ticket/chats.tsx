import { Match, Show, Switch } from 'solid-js'
import { Badge } from '../ui/badge.tsx'
import { useSendByEnter } from './composer/send-by-enter.ts'
import { TelegramMessage } from './telegram/telegram-message.tsx'
import type { ReplyDestination, TicketDetail } from './ticket-query.ts'
import { BlockDialog, BlockItem } from './visitor/block-dialog.tsx'
import { VisitorDestination, VisitorSection, VisitorTyping } from './visitor/visitor-section.tsx'

/** Who the chat is with. A conversation of the website can continue in Telegram. */
function ChatSection(props: { detail: TicketDetail }) {
  return (
    <>
      <Show when={props.detail.ticket.channel === 'widget'}>
        <VisitorSection ticketId={props.detail.ticket.id} />
      </Show>
      <TelegramSection reply={props.detail.reply} />
    </>
  )
}

/** Where a reply in a chat goes. It may be sent by Enter. */
function ChatDestination(props: { reply: ReplyDestination; onSend: () => void }) {
  useSendByEnter(() => props.onSend())
  return (
    <Switch>
      <Match when={props.reply.by === 'widget'}>
        <VisitorDestination reply={props.reply} />
      </Match>
      <Match when={props.reply.by === 'telegram'}>
        <TelegramDestination reply={props.reply} />
      </Match>
    </Switch>
  )
}

/**
 * What only conversations of the website widget or in Telegram need. In one file, because the first view names every
 * file that it may load.
 */
export const Chats = {
  BlockDialog,
  BlockItem,
  ChatDestination,
  ChatSection,
  TelegramMessage,
  VisitorTyping,
}

/** The chat of a ticket in Telegram: who it is with, and whether it can be reached. A ticket of the API has none. */
function TelegramSection(props: { reply: ReplyDestination }) {
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
            <p class="muted">
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
function TelegramDestination(props: { reply: ReplyDestination }) {
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
