import Ellipsis from 'lucide-solid/icons/ellipsis'
import Funnel from 'lucide-solid/icons/funnel'
import Pencil from 'lucide-solid/icons/pencil'
import Trash from 'lucide-solid/icons/trash'
import Users from 'lucide-solid/icons/users'
import { createMemo, createSignal, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useCounts } from '../inbox-data.ts'
import type { InboxLocation } from '../location.ts'
import { RailLink } from './rail-link.tsx'
import { changeView, deleteView } from './saved-views.ts'
import { FIRST_VIEW, type SavedView } from './views.ts'

const SavedViewDialog = lazyDialog(() => import('./saved-view-dialog.tsx'))

interface SavedViewLinkProps {
  view: SavedView
  location: InboxLocation
  /** The view was renamed or deleted, so the focused element is gone. */
  onDone: () => void
  onNavigate?: () => void
}

/** A saved view, with a menu for agents who may change it. */
export function SavedViewLink(props: SavedViewLinkProps) {
  const session = useSession()
  const counts = useCounts()
  const found = createMemo(() => counts()?.saved.find(({ id }) => id === props.view.id))
  const [isRenaming, setRenaming] = createSignal(false)
  const mayChange = () => props.view.isMine || session().agent.role === 'admin'

  async function remove(): Promise<void> {
    if (props.location.viewId() === props.view.id) props.location.openView(FIRST_VIEW)
    const { onDone } = props
    await deleteView(props.view)
    onDone()
  }

  function closeRenaming(): void {
    setRenaming(false)
    props.onDone()
  }

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
      <Show when={mayChange()}>
        <span class="saved-view-link-menu">
          <Menu
            trigger={(given) => (
              <IconButton {...given} name={`Options for “${props.view.name}”`} size="small">
                <Ellipsis />
              </IconButton>
            )}
          >
            <MenuItem icon={<Pencil />} onSelect={() => setRenaming(true)}>
              Rename…
            </MenuItem>
            <MenuChoice
              icon={<Users />}
              isChosen={props.view.isShared}
              onSelect={() => void changeView(props.view, { isShared: !props.view.isShared })}
            >
              Share with team
            </MenuChoice>
            <MenuLine />
            <MenuItem icon={<Trash />} isDanger onSelect={() => void remove()}>
              Delete
            </MenuItem>
          </Menu>
        </span>
        <SavedViewDialog
          isOpen={isRenaming()}
          onClose={closeRenaming}
          title="Rename view"
          name={props.view.name}
          query={props.view.query}
          isShared={props.view.isShared}
          onSave={(fields) => changeView(props.view, fields)}
        />
      </Show>
    </li>
  )
}
