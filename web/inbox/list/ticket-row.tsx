import CircleAlert from 'lucide-solid/icons/circle-alert'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CornerUpLeft from 'lucide-solid/icons/corner-up-left'
import { createMemo, For, Show } from 'solid-js'
import { Avatar } from '../../ui/avatar.tsx'
import { Marked } from '../../ui/marked.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import type { Row } from '../inbox-data.ts'
import { ChannelIcon } from './channel-icon.tsx'
import './ticket-row.css'
import { RowPresence } from './row-presence.tsx'

const MOST_TAGS = 2

interface TicketRowProps {
  row: Row
  /** ISO 8601: what the list is ordered by. */
  at: string
  href: string
  place: number
  /** How many rows the list has; -1 while nobody knows. */
  size: number
  top: number
  isCursor: boolean
  isOpen: boolean
  isSelected: boolean
  /** Why it belongs here no more: "Moved to Resolved". */
  left: string | undefined
  /** Said where the list itself does not say it. */
  status: string | undefined
  terms: readonly string[]
  /** Of the agents, by id. */
  names: ReadonlyMap<string, string>
  onClick: (event: MouseEvent) => void
}

/** One ticket of the list. It is a link, so it opens in another tab too; its words are its name for screen readers. */
export function TicketRow(props: TicketRowProps) {
  const customer = () => props.row.customer.name || props.row.customer.email || 'Unknown customer'
  const preview = createMemo(() => props.row.excerpt ?? props.row.preview.text)
  return (
    <a
      class="row"
      id={rowId(props.row.id)}
      href={props.href}
      role="option"
      draggable={false}
      tabindex={props.isCursor ? 0 : -1}
      aria-selected={props.isSelected}
      aria-current={props.isOpen ? 'true' : undefined}
      aria-posinset={props.place + 1}
      aria-setsize={props.size}
      data-id={props.row.id}
      data-cursor={props.isCursor || undefined}
      data-unread={props.row.isUnread || undefined}
      data-left={props.left !== undefined || undefined}
      onClick={(event) => props.onClick(event)}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <span class="row-mark" data-check aria-hidden="true" />
      <span class="row-line">
        <Show when={props.row.isUnread}>
          <span class="unseen">Unread.</span>
        </Show>
        <span class="row-name">
          <Marked text={customer()} terms={props.terms} />
        </span>
        <Show when={props.row.hasFailedSend}>
          <CircleAlert class="row-failed" role="img" aria-label="A reply could not be sent" />
        </Show>
        <Show when={props.row.hasHeldReply}>
          <CirclePause class="row-failed" role="img" aria-label="A reply is held" />
        </Show>
        <Show when={props.status}>
          <span class="row-word">{props.status}</span>
        </Show>
        <Show when={props.row.hasDraft}>
          <span class="row-word" data-look="draft">
            Draft
          </span>
        </Show>
        <ChannelIcon channel={props.row.channel} />
        <RelativeTime at={props.at} />
      </span>
      <span class="row-line row-subject">
        <span class="row-cut">
          <Marked text={props.row.subject || 'No subject'} terms={props.terms} />
        </span>
        <RowPresence ticketId={props.row.id} names={props.names} />
      </span>
      <span class="row-line row-foot">
        <Show when={props.left === undefined} fallback={<span class="row-cut row-left">{props.left}</span>}>
          <span class="row-cut">
            <Show when={props.row.preview.role === 'agent' && props.row.excerpt === undefined}>
              <CornerUpLeft class="row-arrow" role="img" aria-label="Reply:" />
            </Show>
            <Marked text={preview()} terms={props.terms} />
          </span>
          <Tags tags={props.row.tags} />
          <Show when={props.names.get(props.row.assignedTo ?? '')}>
            {(name) => <Avatar name={name()} id={props.row.assignedTo} size="small" />}
          </Show>
        </Show>
      </span>
    </a>
  )
}

/** The id of its element, for the focus. */
export function rowId(ticketId: string): string {
  return `row-${ticketId}`
}

function Tags(props: { tags: readonly string[] }) {
  const more = () => props.tags.length - MOST_TAGS
  return (
    <>
      <For each={props.tags.slice(0, MOST_TAGS)}>{(tag) => <span class="row-tag">{tag}</span>}</For>
      <Show when={more() > 0}>
        <span class="row-more count" title={props.tags.slice(MOST_TAGS).join(', ')}>
          +{more()}
        </span>
      </Show>
    </>
  )
}
