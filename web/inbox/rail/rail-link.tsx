import { type Component, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { queries } from '../../api/queries.ts'
import '../../ui/nav-link.css'
import { pagesQuery } from '../list/ticket-pages.ts'
import type { Place } from '../location.ts'
import { hrefOf, type View } from './views.ts'

const NUMBERS = new Intl.NumberFormat('en-GB')

interface RailLinkProps {
  view: View
  place: Place
  icon: Component
  count: number | undefined
  /** There may be more than the count. */
  isAtLeast?: boolean
  /** Anything in it asks for attention. */
  isLoud?: boolean
  /** Somebody goes there. */
  onLeave?: () => void
}

/** One list in the rail. Its tickets are read as soon as the pointer comes near. */
export function RailLink(props: RailLinkProps) {
  const isHere = () => props.place.viewId() === props.view.id
  return (
    <a
      class="nav-link"
      href={hrefOf(props.view.id)}
      aria-current={isHere() ? 'page' : undefined}
      onClick={() => props.onLeave?.()}
      onPointerEnter={() => {
        void queries.prefetchInfiniteQuery(pagesQuery({ query: props.view.query, sort: 'updated_desc' }))
      }}
    >
      <Dynamic component={props.icon} />
      <span>{props.view.name}</span>
      <Show when={props.count || props.isAtLeast}>
        <span class="rail-count count" data-loud={props.isLoud || undefined}>
          {NUMBERS.format(props.count ?? 0)}
          {props.isAtLeast ? '+' : ''}
        </span>
      </Show>
    </a>
  )
}
