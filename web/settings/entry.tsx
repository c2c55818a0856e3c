import ChevronRight from 'lucide-solid/icons/chevron-right'
import { children, For, type JSX, Show } from 'solid-js'
import { RelativeTime } from '../ui/relative-time.tsx'

interface EntryListProps<Item> {
  /** For screen readers. */
  label?: string
  items: readonly Item[]
  children: (item: Item) => JSX.Element
}

/** A list in a panel, such as of `Entry` rows. */
export function EntryList<Item>(props: EntryListProps<Item>) {
  return (
    <ul class="entry-list panel" aria-label={props.label}>
      <For each={props.items}>{(item) => props.children(item)}</For>
    </ul>
  )
}

interface EntryProps {
  /** The page of the item. */
  href?: string
  icon?: JSX.Element
  /** Its name and badges. */
  title: JSX.Element
  /** In one line; those that are empty are left out. */
  facts?: readonly JSX.Element[]
  /** Another line of them, or anything else. */
  more?: JSX.Element
  /** What is wrong with it. */
  error?: JSX.Element
  /** Buttons at the end of the row. */
  actions?: JSX.Element
  class?: string
}

/** One row of a list: a title, facts, and a link or buttons. */
export function Entry(props: EntryProps) {
  const actions = children(() => props.actions)
  const isPlainLink = () => props.href !== undefined && !actions()
  const words = () => (
    <>
      {props.icon}
      <span class="entry-words">
        <span class="entry-title">{props.title}</span>
        <Show when={props.facts}>{(facts) => <Facts facts={facts()} />}</Show>
        {props.more}
        <Show when={props.error}>{(error) => <span class="entry-error">{error()}</span>}</Show>
      </span>
      <Show when={isPlainLink()}>
        <ChevronRight class="muted" />
      </Show>
    </>
  )
  return (
    <li class={`${props.href ? 'entry-linked' : 'entry'} ${props.class ?? ''}`}>
      <Show when={props.href} fallback={words()}>
        <a class="entry entry-link" href={props.href}>
          {words()}
        </a>
      </Show>
      <Show when={actions()}>
        <div class="entry-actions">{actions()}</div>
      </Show>
    </li>
  )
}

/** Facts in one line. */
export function Facts(props: { facts: readonly JSX.Element[] }) {
  return (
    <span class="entry-facts">
      <For each={props.facts.filter(Boolean)}>{(fact) => <span>{fact}</span>}</For>
    </span>
  )
}

/** "Last used 4 minutes ago", or what is said without a time. */
export function Ago(props: { words?: string; at: string | null | undefined; otherwise?: string }) {
  return (
    <Show when={props.at} fallback={props.otherwise}>
      {(at) => (
        <>
          {props.words} <RelativeTime at={at()} isLong />
        </>
      )}
    </Show>
  )
}
