import { useQuery } from '@tanstack/solid-query'
import BellIcon from 'lucide-solid/icons/bell'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Mail from 'lucide-solid/icons/mail'
import Pencil from 'lucide-solid/icons/pencil'
import Trash from 'lucide-solid/icons/trash'
import Users from 'lucide-solid/icons/users'
import { createSignal, Show } from 'solid-js'
import { type Bell, ownNotificationsQuery } from '../../api/own-notifications.ts'
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

/** Notifies the agent of tickets that are new in the view: with pushes, by email once there is a mailbox, or both. */
function BellChoices(props: { view: SavedView }) {
  const query = useQuery(() => ownNotificationsQuery)
  const bell = () =>
    query.data?.bells.find(({ viewId }) => viewId === props.view.id) ?? { push: false, email: false }
  const change = (way: Partial<Bell>) => void ringFor(props.view, way)
  return (
    <>
      <MenuChoice icon={<BellIcon />} isChosen={bell().push} onSelect={() => change({ push: !bell().push })}>
        Notify me of new tickets
      </MenuChoice>
      <Show when={query.data?.mailbox}>
        <MenuChoice icon={<Mail />} isChosen={bell().email} onSelect={() => change({ email: !bell().email })}>
          Email me new tickets
        </MenuChoice>
      </Show>
    </>
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
          <BellChoices view={props.view} />
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
