import { createMemo, Show } from 'solid-js'
import { isVisitorTyping } from '../../live/presence.ts'
import type { ReplyDestination, Ticket } from '../ticket-query.ts'
import './visitor-typing.css'

/** "Ana is typing…", at the end of a conversation in the widget. */
export function VisitorTyping(props: { ticket: Ticket }) {
  // A memo, because updates arrive for all tickets: without a change on this one, screen readers stay silent.
  const isTyping = createMemo(() => isVisitorTyping(props.ticket.id))
  return (
    <div role="status" class="visitor-typing">
      <Show when={isTyping()}>
        <p>{props.ticket.customer.name} is typing…</p>
      </Show>
    </div>
  )
}

const NO_EMAIL = {
  address: 'The visitor left no email address.',
  mailbox: 'Not emailed, because no mailbox is connected.',
  answer: "Not emailed, because the visitor didn't answer the last emails.",
}

/** Where a reply in the chat goes, and what happens to it when the visitor doesn't read it there. */
export function VisitorDestination(props: { reply: ReplyDestination }) {
  return <p>Goes to the website chat. {unreadText(props.reply.ifUnread)}</p>
}

function unreadText(ifUnread: ReplyDestination['ifUnread']): string {
  if (!ifUnread) return ''
  if ('without' in ifUnread) return NO_EMAIL[ifUnread.without]
  const address = ifUnread.isVerified ? ifUnread.address : `${ifUnread.address} (not verified)`
  return `Emailed to ${address} if it isn't read within 10 minutes.`
}
