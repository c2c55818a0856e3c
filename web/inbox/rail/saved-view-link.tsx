import Ellipsis from 'lucide-solid/icons/ellipsis'
import Funnel from 'lucide-solid/icons/funnel'
import Pencil from 'lucide-solid/icons/pencil'
import Trash from 'lucide-solid/icons/trash'
import Users from 'lucide-solid/icons/users'
import { createMemo, createSignal, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useCounts } from '../inbox-data.ts'
import type { Place } from '../location.ts'
import { RailLink } from './rail-link.tsx'
import { changeView, deleteView } from './saved-views.ts'
import { ViewDialog } from './view-dialog.tsx'
import { FIRST_VIEW, type SavedView } from './views.ts'

interface SavedViewLinkProps {
  view: SavedView
  place: Place
  /** It was renamed or deleted: what had the focus is gone. */
  onDone: () => void
  onLeave?: () => void
}

/** A saved view with its menu, for those who may change it. */
export function SavedViewLink(props: SavedViewLinkProps) {
  const session = useSession()
  const counts = useCounts()
  const found = createMemo(() => counts()?.saved.find(({ id }) => id === props.view.id))
  const [isRenaming, setRenaming] = createSignal(false)
  const mayChange = () => props.view.isMine || session().agent.role === 'admin'

  async function remove(): Promise<void> {
    if (props.place.viewId() === props.view.id) props.place.openView(FIRST_VIEW)
    const { onDone } = props
    await deleteView(props.view)
    onDone()
  }

  function closeRenaming(): void {
    setRenaming(false)
    props.onDone()
  }

  return (
    <li class="rail-saved">
      <RailLink
        view={props.view}
        place={props.place}
        icon={props.view.isShared ? Users : Funnel}
        count={found()?.count}
        isAtLeast={found()?.isAtLeast}
        onLeave={props.onLeave}
      />
      <Show when={mayChange()}>
        <span class="rail-more">
          <Menu
            trigger={(given) => (
              <IconButton {...given} name={`Change “${props.view.name}”`} size="small">
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
              Shared with everybody
            </MenuChoice>
            <MenuLine />
            <MenuItem icon={<Trash />} isDanger onSelect={() => void remove()}>
              Delete
            </MenuItem>
          </Menu>
        </span>
        <ViewDialog
          isOpen={isRenaming()}
          onClose={closeRenaming}
          title="Rename the view"
          name={props.view.name}
          query={props.view.query}
          isShared={props.view.isShared}
          onSave={(given) => changeView(props.view, given)}
        />
      </Show>
    </li>
  )
}
