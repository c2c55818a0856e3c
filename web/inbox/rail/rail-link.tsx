import { type Component, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { queries } from '../../api/queries.ts'
import '../../ui/nav-link.css'
import { sortOfView } from '../list/sort.ts'
import { pagesQuery } from '../list/ticket-pages.ts'
import type { InboxLocation } from '../location.ts'
import { hrefOf, type View } from './views.ts'

const NUMBERS = new Intl.NumberFormat('en-GB')

interface RailLinkProps {
  view: View
  location: InboxLocation
  /** A dot without it. */
  icon?: Component
  count: number | undefined
  /** The count is a lower bound. */
  isAtLeast?: boolean
  /** Its tickets need attention. */
  isLoud?: boolean
  /** Called when the link is followed. */
  onNavigate?: () => void
}

/** One view in the rail. Its tickets are loaded as soon as the pointer is over it. */
export function RailLink(props: RailLinkProps) {
  const isHere = () => props.location.viewId() === props.view.id
  return (
    <a
      class="nav-link"
      href={hrefOf(props.view.id)}
      aria-current={isHere() ? 'page' : undefined}
      onClick={({ currentTarget, detail }) => {
        // After a click, keys act on the list: Enter opens a ticket instead of following this link again.
        if (detail > 0) currentTarget.blur()
        props.onNavigate?.()
      }}
      onPointerEnter={() => {
        const { id, query } = props.view
        void queries.prefetchInfiniteQuery(pagesQuery({ query, sort: sortOfView(id) }))
      }}
    >
      <Show when={props.icon} fallback={<i class="rail-link-dot" aria-hidden="true" />}>
        <Dynamic component={props.icon} />
      </Show>
      <span>{props.view.name}</span>
      <Show when={props.count || props.isAtLeast}>
        <span class="rail-link-count count" data-loud={props.isLoud || undefined}>
          {NUMBERS.format(props.count ?? 0)}
          {props.isAtLeast ? '+' : ''}
        </span>
      </Show>
    </a>
  )
}
