import { type Component, For, type JSX, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { Badge, type Tone } from '../ui/badge.tsx'
import { RelativeTime, Time } from '../ui/relative-time.tsx'
import { Ago } from './entry.tsx'

const WITH_SECONDS = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Names and values, one pair per line. Those that are undefined are left out. */
export function DetailList(props: { items: Record<string, JSX.Element> }) {
  return (
    <dl class="detail-list panel">
      <For each={Object.entries(props.items).filter(([, value]) => value !== undefined)}>
        {([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        )}
      </For>
    </dl>
  )
}

/** How a state is shown. */
export interface ShownState {
  word: string
  tone: Tone
  icon: Component<{ size?: number }>
  /** What it means, one sentence. */
  hint?: string
}

/** A state as word, icon and color. */
export function StateBadge(props: { state: ShownState }) {
  return (
    <Badge tone={props.state.tone} title={props.state.hint}>
      <Dynamic component={props.state.icon} size={12} />
      {props.state.word}
    </Badge>
  )
}

/** "4 minutes ago", or what is said without a time. */
export function timeOr(at: string | null, otherwise: string) {
  return <Ago at={at} otherwise={otherwise} />
}

/** What went wrong last with a mailbox or bot, and since when it has been failing. */
export function LastError(props: { errors: (string | null)[]; since: string | null }) {
  const errors = () => props.errors.filter((error) => error !== null)
  return (
    <Show when={errors().length > 0} fallback="None">
      {errors().join(' ')}{' '}
      <Show when={props.since}>
        {(at) => (
          <span class="muted">
            Failing since <RelativeTime at={at()} isLong />.
          </span>
        )}
      </Show>
    </Show>
  )
}

/** The ticket that a delivery or a mail belongs to. */
export function TicketLink(props: { id: string | null | undefined; otherwise: string }) {
  return (
    <Show when={props.id} fallback={props.otherwise}>
      {(id) => (
        <a class="mono" href={`/inbox/open/${id()}`}>
          {id()}
        </a>
      )}
    </Show>
  )
}

/** "21 Nov 2026, 17:16:02", for logs, in the time zone of this browser. */
export function Timestamp(props: { at: string }) {
  return <Time at={props.at}>{WITH_SECONDS.format(new Date(props.at))}</Time>
}

/** "21 Nov 2026, 17:16", for deadlines, in the time zone of this browser. */
export function shortTime(at: string): string {
  return SHORT.format(new Date(at))
}
