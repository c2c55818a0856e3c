import { Match, Show, Switch } from 'solid-js'
import { TelegramMessage } from './telegram/telegram-message.tsx'
import { TelegramDestination, TelegramSection } from './telegram/telegram-section.tsx'
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

/** Where a reply in a chat goes. */
function ChatDestination(props: { reply: ReplyDestination }) {
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
