import StickyNote from 'lucide-solid/icons/sticky-note'
import { createMemo, For, Show } from 'solid-js'
import { Avatar, programs } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Time } from '../../ui/relative-time.tsx'
import { SecondsLeft } from '../../ui/seconds-left.tsx'
import { besideText } from '../attachments/attachment-type.ts'
import { Attachments } from '../attachments/attachments.tsx'
import { ChatParts } from '../chat-parts.tsx'
import { undoOf } from '../composer/undoable.ts'
import { UnverifiedMark } from '../customer/unverified-mark.tsx'
import { createMailView } from '../mail/mail-view.ts'
import { MessageStatus } from './message-status.tsx'
import { MessageContent, MessageText } from './message-text.tsx'
import { ThreadParts } from './thread-parts.tsx'
import './message-group.css'
import type { MessageEntry, ReplyDestination, Ticket, TicketDetail } from '../ticket-query.ts'
import type { MessageOrNote } from './thread-rows.ts'
import { clockTime } from './times.ts'

interface MessageGroupProps {
  items: MessageOrNote[]
  ticket: Ticket
  reply: ReplyDestination
  seen: TicketDetail['seen']
  terms: readonly string[]
}

/** What one person wrote within a few minutes, below their name. */
export function MessageGroup(props: MessageGroupProps) {
  // Keyed by id: a message whose status changes keeps its place on the page.
  const byId = createMemo(() => new Map(props.items.map((item) => [item.id, item])))
  const first = () => props.items[0]
  const who = () => whoOf(first())
  const name = () => nameOf(first(), props.ticket.customer)
  const message = () => messageOf(first())
  return (
    <article class="message-group" data-who={who()} aria-label={labelOf(who(), name())}>
      <Avatar
        name={name()}
        id={personOf(first(), props.ticket.customer)}
        isCustomer={who() === 'customer'}
        isDecorative
      />
      <div class="message-group-body">
        <header class="message-group-head">
          <div class="message-group-who">
            <span class="message-group-name" title={name()}>
              {name()}
            </span>
            <Show when={isOfCustomer(first()) && props.ticket.customer.unverified}>
              <UnverifiedMark />
            </Show>
            <Show when={who() === 'note'}>
              <span class="message-group-kind">
                <StickyNote />
                Internal note
              </span>
            </Show>
            <Show when={programs().has(first()?.agentId ?? '')}>
              <Badge>Program</Badge>
            </Show>
            <Show when={message()}>{(known) => <AuthorLabels message={known()} />}</Show>
          </div>
          <Show when={first()}>{(item) => <ClockTime at={item().createdAt} />}</Show>
        </header>
        <Show when={message()}>
          {(known) => <ThreadParts.Recipients message={known()} ticket={props.ticket} reply={props.reply} />}
        </Show>
        <For each={props.items.map(({ id }) => id)}>
          {(id, index) => {
            const item = createMemo<MessageOrNote | undefined>((last) => byId().get(id) ?? last)
            return (
              <Show when={item()}>
                {(known) => (
                  <div class="message-group-item" data-message={id}>
                    <Show when={index() > 0}>
                      <ClockTime at={known().createdAt} />
                    </Show>
                    <Show
                      when={messageOf(known())}
                      fallback={
                        <MessageContent
                          text={known().text}
                          format={known().format}
                          attachments={known().attachments}
                          terms={props.terms}
                        />
                      }
                    >
                      {(message) => <Message {...props} message={message()} author={name()} />}
                    </Show>
                    <MessageStatus
                      entry={known()}
                      ticketId={props.ticket.id}
                      problem={props.reply.problem}
                      isInChat={props.ticket.channel === 'widget'}
                      seen={props.seen?.messageId === id ? props.seen : undefined}
                      isSaidBelow={isSent(props.items[index() + 1]) || wasSeenBefore(known(), props.seen)}
                    />
                    <UndoSent id={id} />
                  </div>
                )}
              </Show>
            )
          }}
        </For>
      </div>
    </article>
  )
}

/** Takes back a message that has just left, while the agent can. */
function UndoSent(props: { id: string }) {
  return (
    <Show when={undoOf(props.id)}>
      {(sent) => (
        <div class="message-group-actions">
          <Button size="small" onClick={sent().run}>
            Undo
          </Button>
          <SecondsLeft until={sent().endsAt} />
        </div>
      )}
    </Show>
  )
}

/** Labels for a message that neither an agent nor the customer wrote, and for one that a program wrote. */
function AuthorLabels(props: { message: MessageEntry }) {
  return (
    <>
      <Show when={props.message.author}>
        {(author) => (
          <Badge tone={author() === 'third_party' ? 'amber' : 'grey'}>
            {author() === 'third_party' ? 'Third party' : 'Participant'}
          </Badge>
        )}
      </Show>
      <Show when={props.message.isAutomatic}>
        <Badge>Automatic</Badge>
      </Show>
    </>
  )
}

interface MessageProps extends MessageGroupProps {
  message: MessageEntry
  author: string
}

/** A mail with its formatting and quoted text, or the text of another message. */
function Message(props: MessageProps) {
  const view = createMailView(() => props.message)
  const { email, hasQuote, html, role } = props.message
  const isOfTelegram = () => props.message.chat || props.message.editedAt || props.message.takenBackAt
  const isReceived = email !== undefined && role === 'customer'
  return (
    <>
      <ThreadParts.Menu message={props.message} ticket={props.ticket} view={view} />
      <Show
        when={isReceived || hasQuote || html !== undefined}
        fallback={
          <Show
            when={isOfTelegram()}
            fallback={
              <MessageText
                text={props.message.text}
                format={props.message.format}
                attachments={props.message.attachments}
                terms={props.terms}
              />
            }
          >
            <ChatParts.TelegramMessage
              message={props.message}
              ticketId={props.ticket.id}
              terms={props.terms}
            />
          </Show>
        }
      >
        <ThreadParts.Body
          message={props.message}
          ticketId={props.ticket.id}
          author={props.author}
          terms={props.terms}
          view={view}
        />
      </Show>
      <Attachments
        attachments={
          isOfTelegram() ? props.message.attachments : besideText(props.message.attachments, props.message)
        }
        isHtmlShown={view.isFormatted()}
      />
    </>
  )
}

function isSent(item: MessageOrNote | undefined): boolean {
  return item?.kind === 'message' && item.sending === 'sent'
}

/** Whether the visitor saw a later answer, and so this one too. */
function wasSeenBefore({ id, createdAt }: MessageOrNote, seen: TicketDetail['seen']): boolean {
  return seen !== undefined && seen.messageId !== id && createdAt <= seen.at
}

function ClockTime(props: { at: string }) {
  return (
    <Time at={props.at} class="message-group-time">
      {clockTime(props.at)}
    </Time>
  )
}

type Customer = Ticket['customer']
type Who = 'customer' | 'agent' | 'note'

function whoOf(item: MessageOrNote | undefined): Who {
  if (item?.kind === 'note') return 'note'
  return item?.role ?? 'customer'
}

function messageOf(item: MessageOrNote | undefined): MessageEntry | undefined {
  return item?.kind === 'message' ? item : undefined
}

function nameOf(item: MessageOrNote | undefined, customer: Customer): string {
  if (item?.kind === 'message' && item.role === 'customer') {
    return item.author ? item.authorName || item.email?.from.address || 'Unknown sender' : customer.name
  }
  return item?.agentName ?? 'Agent'
}

/** Not of someone else who wrote to the ticket. */
function isOfCustomer(item: MessageOrNote | undefined): boolean {
  return item?.kind === 'message' && item.role === 'customer' && !item.author
}

/** Determines the color of the avatar. */
function personOf(item: MessageOrNote | undefined, customer: Customer): string | undefined {
  if (item?.kind === 'message' && item.role === 'customer') {
    return item.author ? (item.email?.from.address ?? item.authorName) : customer.userId
  }
  return item?.agentId
}

function labelOf(who: Who, name: string): string {
  return who === 'note' ? `Internal note by ${name}` : `Message from ${name}`
}
