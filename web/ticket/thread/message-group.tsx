import StickyNote from 'lucide-solid/icons/sticky-note'
import { createMemo, For, Show } from 'solid-js'
import { Avatar } from '../../ui/avatar.tsx'
import { Time } from '../../ui/relative-time.tsx'
import { MessageStatus } from './message-status.tsx'
import { MessageText } from './message-text.tsx'
import './message-group.css'
import type { Ticket } from '../ticket-query.ts'
import type { MessageOrNote } from './thread-rows.ts'
import { clockTime } from './times.ts'

type Customer = Ticket['customer']

interface MessageGroupProps {
  items: MessageOrNote[]
  ticketId: string
  channel: Ticket['channel']
  customer: Customer
  terms: readonly string[]
}

/** What one person wrote within a few minutes, below their name. */
export function MessageGroup(props: MessageGroupProps) {
  // Keyed by id: a message whose status changes keeps its place on the page.
  const byId = createMemo(() => new Map(props.items.map((item) => [item.id, item])))
  const first = () => props.items[0]
  const who = () => whoOf(first())
  const name = () => nameOf(first(), props.customer)
  return (
    <article class="message-group" data-who={who()} aria-label={labelOf(who(), name())}>
      <Avatar
        name={name()}
        id={personOf(first(), props.customer)}
        isCustomer={who() === 'customer'}
        isDecorative
      />
      <div class="message-group-body">
        <header class="message-group-head">
          <span class="message-group-name" title={name()}>
            {name()}
          </span>
          <Show when={who() === 'note'}>
            <span class="message-group-kind">
              <StickyNote />
              Internal note
            </span>
          </Show>
          <Show when={first()}>{(item) => <ClockTime at={item().createdAt} />}</Show>
        </header>
        <For each={props.items.map(({ id }) => id)}>
          {(id, index) => {
            const item = createMemo<MessageOrNote | undefined>((last) => byId().get(id) ?? last)
            return (
              <Show when={item()}>
                {(known) => (
                  <div class="message-group-item">
                    <Show when={index() > 0}>
                      <ClockTime at={known().createdAt} />
                    </Show>
                    <MessageText text={known().text} terms={props.terms} />
                    <MessageStatus
                      entry={known()}
                      ticketId={props.ticketId}
                      channel={props.channel}
                      isSentBelow={isSent(props.items[index() + 1])}
                    />
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

function isSent(item: MessageOrNote | undefined): boolean {
  return item?.kind === 'message' && item.sending === 'sent'
}

function ClockTime(props: { at: string }) {
  return (
    <Time at={props.at} class="message-group-time">
      {clockTime(props.at)}
    </Time>
  )
}

type Who = 'customer' | 'agent' | 'note'

function whoOf(item: MessageOrNote | undefined): Who {
  if (item?.kind === 'note') return 'note'
  return item?.role ?? 'customer'
}

function nameOf(item: MessageOrNote | undefined, customer: Customer): string {
  if (item?.kind === 'message' && item.role === 'customer') return customer.name
  return item?.agentName ?? 'Agent'
}

/** Determines the color of the avatar. */
function personOf(item: MessageOrNote | undefined, customer: Customer): string | undefined {
  if (item?.kind === 'message' && item.role === 'customer') return customer.userId
  return item?.agentId
}

function labelOf(who: Who, name: string): string {
  return who === 'note' ? `Internal note by ${name}` : `Message from ${name}`
}
