import { useQuery } from '@tanstack/solid-query'
import Bell from 'lucide-solid/icons/bell'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Pencil from 'lucide-solid/icons/pencil'
import Trash from 'lucide-solid/icons/trash'
import Users from 'lucide-solid/icons/users'
import { createSignal, Show } from 'solid-js'
import { ownNotificationsQuery } from '../../api/own-notifications.ts'
import { useSession } from '../../api/session.ts'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx'
import type { InboxLocation } from '../location.ts'
import { changeView, deleteView, ringFor } from './saved-views.ts'
import { FIRST_VIEW, type SavedView } from './views.ts'

const SavedViewDialog = lazyDialog(() => import('./saved-view-dialog.tsx'))

export interface SavedViewProps {
  view: SavedView
  location: InboxLocation
  /** The view was renamed or deleted, so the focused element is gone. */
  onDone: () => void
  onNavigate?: () => void
}

/** Notifies the agent of tickets that are new in the view. */
function BellChoice(props: { view: SavedView }) {
  const query = useQuery(() => ownNotificationsQuery)
  const isOn = () => query.data?.bells.some(({ viewId }) => viewId === props.view.id) ?? false
  return (
    <MenuChoice icon={<Bell />} isChosen={isOn()} onSelect={() => void ringFor(props.view, !isOn())}>
      Notify me of new tickets
    </MenuChoice>
  )
}

/** The bell of a saved view, and renaming, sharing and deleting it for agents who may change it. */
export function SavedViewMenu(props: SavedViewProps) {
  const session = useSession()
  const mayChange = () => props.view.isMine || session().agent.role === 'admin'
  const [isRenaming, setRenaming] = createSignal(false)

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
    <>
      <span class="saved-view-link-menu">
        <Menu
          trigger={(given) => (
            <IconButton {...given} name={`Options for “${props.view.name}”`} size="small">
              <Ellipsis />
            </IconButton>
          )}
        >
          <BellChoice view={props.view} />
          <Show when={mayChange()}>
            <MenuLine />
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
          </Show>
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
    </>
  )
}
