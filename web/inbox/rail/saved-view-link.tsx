import Funnel from 'lucide-solid/icons/funnel'
import Users from 'lucide-solid/icons/users'
import { createMemo } from 'solid-js'
import { lazyPart } from '../../live/lazy-page.tsx'
import { useCounts } from '../inbox-data.ts'
import { RailLink } from './rail-link.tsx'
import type { SavedViewProps } from './saved-view-menu.tsx'

const SavedViewMenu = lazyPart(async () => (await import('./saved-view-menu.tsx')).SavedViewMenu)

/** A saved view, with its menu. */
export function SavedViewLink(props: SavedViewProps) {
  const counts = useCounts()
  const found = createMemo(() => counts()?.saved.find(({ id }) => id === props.view.id))

  return (
    <li class="saved-view-link">
      <RailLink
        view={props.view}
        location={props.location}
        icon={props.view.isShared ? Users : Funnel}
        count={found()?.count}
        isAtLeast={found()?.isAtLeast}
        onNavigate={props.onNavigate}
      />
      <SavedViewMenu {...props} />
    </li>
  )
}
