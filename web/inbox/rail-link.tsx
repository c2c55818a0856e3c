import { type Component, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { queries } from '../queries.ts'
import type { Place } from './place.ts'
import { pagesQuery } from './ticket-pages.ts'
import { hrefOf, isSaved, type View } from './views.ts'

/** Saved views are counted up to here. */
const MOST_COUNTED = 1_000
const NUMBERS = new Intl.NumberFormat('en-GB')

interface RailLinkProps {
  view: View
  place: Place
  icon: Component
  count: number | undefined
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
      class="rail-link"
      href={hrefOf(props.view.id)}
      aria-current={isHere() ? 'page' : undefined}
      onClick={() => props.onLeave?.()}
      onPointerEnter={() => {
        void queries.prefetchInfiniteQuery(pagesQuery({ query: props.view.query, sort: 'updated_desc' }))
      }}
    >
      <Dynamic component={props.icon} />
      <span class="rail-text">{props.view.name}</span>
      <Show when={props.count}>
        {(count) => (
          <span class="rail-count count" data-loud={props.isLoud || undefined}>
            {NUMBERS.format(count())}
            {isSaved(props.view.id) && count() >= MOST_COUNTED ? '+' : ''}
          </span>
        )}
      </Show>
    </a>
  )
}
