import { type Component, type ComponentProps, createMemo, For, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { presenceOf } from '../../live/live.ts'
import { UnverifiedMark } from '../../ticket/customer/unverified-mark.tsx'
import { Marked } from '../../ticket/marked.tsx'
import { channelName, isChat, snoozeText } from '../../ticket/ticket-names.ts'
import { Avatar, initialsOf } from '../../ui/avatar.tsx'
import { duration, exactTime, MINUTE_MS, now, RelativeTime, Time } from '../../ui/relative-time.tsx'
import type { Row } from '../inbox-data.ts'
import './ticket-row.css'

import AlarmClock from 'lucide-solid/icons/alarm-clock'
import AtSign from 'lucide-solid/icons/at-sign'
import CircleAlert from 'lucide-solid/icons/circle-alert'
import CirclePause from 'lucide-solid/icons/circle-pause'
import Clock from 'lucide-solid/icons/clock'
import Code from 'lucide-solid/icons/code'
import CornerUpLeft from 'lucide-solid/icons/corner-up-left'
import Lightbulb from 'lucide-solid/icons/lightbulb'
import Mail from 'lucide-solid/icons/mail'
import MessageCircle from 'lucide-solid/icons/message-circle'
import Send from 'lucide-solid/icons/send'

const MAX_TAGS = 2
/** Letters of a subject that a list of usual width has room for. */
const SHOWN_OF_SUBJECT = 45

type Channel = Row['channel']

const CHANNEL_ICONS: Partial<Record<Channel, Component<ComponentProps<'svg'>>>> = {
  widget: MessageCircle,
  email: Mail,
  telegram: Send,
  api: Code,
}

interface TicketRowProps {
  row: Row
  href: string
  index: number
  /** Number of rows in the list; -1 while it is unknown. */
  size: number
  top: number
  isCursor: boolean
  /** It is the one that keys act on, and no row is open. */
  isMarked: boolean
  isOpen: boolean
  isSelected: boolean
  /** Why the row no longer matches the list: "Moved to Resolved". */
  departure: string | undefined
  /** Shown where the list itself doesn't imply it. */
  status: string | undefined
  /** Words to highlight. */
  terms: readonly string[]
  /** Agents' names by id. */
  names: ReadonlyMap<string, string>
  onClick: (event: MouseEvent) => void
}

/** One ticket of the list. It is a link, so it can be opened in another tab. Its text is its accessible name. */
export function TicketRow(props: TicketRowProps) {
  const preview = createMemo(() => props.row.excerpt ?? withoutSubject(props.row))
  /** Shown instead of the newest message. */
  const aside = createMemo(() => {
    const { mention, snooze } = props.row
    if (mention) return `${mention.agentName}: ${mention.text}`
    return snooze && snoozeText(snooze, true)
  })
  const isUnread = () => props.row.isUnread || props.row.mention?.isSeen === false
  return (
    <a
      class="ticket-row"
      id={rowId(props.row.id)}
      href={props.href}
      role="option"
      draggable={false}
      tabindex={props.isCursor ? 0 : -1}
      aria-selected={props.isSelected}
      aria-current={props.isOpen ? 'true' : undefined}
      aria-posinset={props.index + 1}
      aria-setsize={props.size}
      data-id={props.row.id}
      data-cursor={props.isMarked || undefined}
      data-unread={isUnread() || undefined}
      data-left={props.departure !== undefined || undefined}
      onClick={(event) => props.onClick(event)}
      style={{ transform: `translateY(${props.top}px)` }}
    >
      <span class="ticket-row-mark" data-check aria-hidden="true" />
      <span class="ticket-row-line">
        <Show when={isUnread()}>
          <span class="unseen">Unread.</span>
        </Show>
        <span class="ticket-row-name cut">
          <Marked text={customerName(props.row)} terms={props.terms} />
        </span>
        <Show when={props.row.customer.unverified}>
          <UnverifiedMark />
        </Show>
        <Show when={props.row.page}>
          {(page) => (
            <span class="ticket-row-page cut" title={page().url}>
              {pathOf(page())}
            </span>
          )}
        </Show>
        <Show when={props.row.hasFailedSend}>
          <CircleAlert class="ticket-row-alert" role="img" aria-label="A reply failed to send" />
        </Show>
        <Show when={props.row.hasHeldReply}>
          <CirclePause class="ticket-row-alert" role="img" aria-label="A reply is on hold" />
        </Show>
        <Show when={props.row.hasScheduledReply}>
          <Clock class="ticket-row-later" role="img" aria-label="A reply is scheduled" />
        </Show>
        <Show when={props.row.isSuggested}>
          <Lightbulb role="img" aria-label="A reply is suggested" />
        </Show>
        <Show when={props.status}>
          <span class="ticket-row-word">{props.status}</span>
        </Show>
        <Show when={props.row.hasDraft}>
          <span class="ticket-row-word" data-look="draft">
            Draft
          </span>
        </Show>
        <ChannelIcon channel={props.row.channel} />
        <RelativeTime at={props.row.mention?.at ?? props.row.lastMessageAt} title={timesOf(props.row)} />
      </span>
      <span class="ticket-row-line ticket-row-subject">
        <span class="ticket-row-cut cut">
          <Marked text={props.row.subject || 'No subject'} terms={props.terms} />
        </span>
        <RowPresence ticketId={props.row.id} names={props.names} />
        <Waiting row={props.row} />
      </span>
      <span class="ticket-row-line ticket-row-foot">
        <Show
          when={props.departure === undefined}
          fallback={<span class="ticket-row-cut ticket-row-departure cut">{props.departure}</span>}
        >
          <Show when={aside()}>
            {(text) => (
              <span class="ticket-row-aside cut">
                <Dynamic
                  component={props.row.mention ? AtSign : AlarmClock}
                  class="ticket-row-arrow"
                  aria-hidden="true"
                />
                {text()}
              </span>
            )}
          </Show>
          <span class="ticket-row-cut cut" hidden={aside() !== undefined}>
            <Show when={props.row.preview.role === 'agent' && props.row.excerpt === undefined}>
              <CornerUpLeft class="ticket-row-arrow" role="img" aria-label="Reply:" />
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

/** The id of the row's element. */
export function rowId(ticketId: string): string {
  return `row-${ticketId}`
}

export function customerName({ customer }: { customer: Pick<Row['customer'], 'name' | 'email'> }): string {
  return customer.name || customer.email || 'Unknown customer'
}

/** `/pricing`: where on the website a visitor is. */
function pathOf({ url, title }: NonNullable<Row['page']>): string {
  const { host = '', pathname = '/', search = '' } = URL.parse(url) ?? {}
  return pathname === '/' ? host || title : pathname + search
}

/** The preview. The subject of a chat is the start of its first message, so the preview goes on where the subject ends. */
function withoutSubject({ channel, subject, preview: { text } }: Row): string {
  const start = subject.replace(/…$/, '')
  if (!isChat(channel) || !text.startsWith(start)) return text
  if (start.length > SHOWN_OF_SUBJECT) return `…${text.slice(text.lastIndexOf(' ', SHOWN_OF_SUBJECT) + 1)}`
  return text === start ? '' : text
}

/** The channel a ticket came from. */
export function ChannelIcon(props: { channel: Channel }) {
  return (
    <Dynamic
      component={CHANNEL_ICONS[props.channel] ?? MessageCircle}
      aria-label={channelName(props.channel)}
      role="img"
    />
  )
}

/** How long the customer has waited for an answer, from a minute on, amber after an hour of opening time. */
function Waiting(props: { row: Row }) {
  const since = createMemo(() => (props.row.status === 'resolved' ? undefined : props.row.waitingSince))
  const waited = createMemo(() => now() - Date.parse(since() ?? ''))
  const isLong = () => now() >= Date.parse(props.row.longWaitAt ?? '')
  return (
    <Show when={waited() >= MINUTE_MS && since()}>
      {(at) => (
        <span class="ticket-row-waiting" data-long={isLong() || undefined}>
          waiting <Time at={at()}>{duration(waited())}</Time>
        </span>
      )}
    </Show>
  )
}

/** For the tooltip, a line each. */
function timesOf({ lastMessageAt, createdAt, updatedAt }: Row): string {
  return [
    `Last message: ${exactTime(lastMessageAt)}`,
    `Created: ${exactTime(createdAt)}`,
    `Changed: ${exactTime(updatedAt)}`,
  ].join('\n')
}

/** A ring while a colleague has the ticket open, amber while they write. */
function RowPresence(props: { ticketId: string; names: ReadonlyMap<string, string> }) {
  const here = createMemo(() => presenceOf(props.ticketId))
  /** Someone replying is shown before someone viewing. */
  const first = createMemo(() => here().find(({ state }) => state === 'replying') ?? here()[0])
  return (
    <Show when={first()}>
      {(one) => {
        const name = () => props.names.get(one().agentId) ?? 'A colleague'
        const label = () => `${name()} is ${one().state === 'replying' ? 'writing a reply' : 'viewing'}`
        return (
          <span
            class="ticket-row-presence"
            data-state={one().state}
            role="img"
            aria-label={label()}
            title={label()}
          >
            {initialsOf(name())}
          </span>
        )
      }}
    </Show>
  )
}

function Tags(props: { tags: readonly string[] }) {
  const more = () => props.tags.length - MAX_TAGS
  return (
    <>
      <For each={props.tags.slice(0, MAX_TAGS)}>{(tag) => <span class="ticket-row-tag cut">{tag}</span>}</For>
      <Show when={more() > 0}>
        <span class="ticket-row-more count" title={props.tags.slice(MAX_TAGS).join(', ')}>
          +{more()}
        </span>
      </Show>
    </>
  )
}
