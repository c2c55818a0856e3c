import CheckCheck from 'lucide-solid/icons/check-check'
import Clock from 'lucide-solid/icons/clock'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Inbox from 'lucide-solid/icons/inbox'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import Tag from 'lucide-solid/icons/tag'
import UserRound from 'lucide-solid/icons/user-round'
import X from 'lucide-solid/icons/x'
import { Show } from 'solid-js'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import type { BulkActions } from './bulk-actions.ts'
import './bulk-bar.css'
import type { Selection } from './selection.ts'

interface BulkBarProps {
  selection: Selection
  bulkActions: BulkActions
  onAssign: () => void
  onTag: () => void
}

/** Actions for the selected tickets. */
export function BulkBar(props: BulkBarProps) {
  const count = () => props.selection.list().length
  return (
    <Show when={count() > 0}>
      <div class="bulk-bar" role="toolbar" aria-label="Selected tickets">
        <span class="bulk-bar-count count">{count()} selected</span>
        <IconButton name="Resolve" keys="e" onClick={() => props.bulkActions.change({ status: 'resolved' })}>
          <CheckCheck />
        </IconButton>
        <IconButton name="Assign" keys="a" onClick={props.onAssign}>
          <UserRound />
        </IconButton>
        <IconButton name="Tags" keys="t" onClick={props.onTag}>
          <Tag />
        </IconButton>
        <Menu
          placement="top-end"
          trigger={(given) => (
            <IconButton {...given} name="More">
              <Ellipsis />
            </IconButton>
          )}
        >
          <MenuItem
            icon={<Clock />}
            keys="p"
            onSelect={() => props.bulkActions.change({ status: 'pending' })}
          >
            Set to pending
          </MenuItem>
          <MenuItem icon={<Inbox />} keys="O" onSelect={() => props.bulkActions.change({ status: 'open' })}>
            Reopen
          </MenuItem>
          <MenuItem
            icon={<ShieldAlert />}
            keys="!"
            onSelect={() => props.bulkActions.change({ isSpam: !props.bulkActions.areSpam() })}
          >
            {props.bulkActions.areSpam() ? 'Not spam' : 'Mark as spam'}
          </MenuItem>
        </Menu>
        <IconButton name="Clear selection" keys="escape" onClick={() => props.selection.clear()}>
          <X />
        </IconButton>
      </div>
    </Show>
  )
}
