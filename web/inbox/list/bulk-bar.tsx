import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import type { BulkActions } from './bulk-actions.ts'
import type { Selection } from './selection.ts'
import './list-pane.css'

import AlarmClock from 'lucide-solid/icons/alarm-clock'
import CheckCheck from 'lucide-solid/icons/check-check'
import Clock from 'lucide-solid/icons/clock'
import Ellipsis from 'lucide-solid/icons/ellipsis'
import Inbox from 'lucide-solid/icons/inbox'
import ShieldAlert from 'lucide-solid/icons/shield-alert'
import Tag from 'lucide-solid/icons/tag'
import UserRound from 'lucide-solid/icons/user-round'
import X from 'lucide-solid/icons/x'

interface BulkBarProps {
  selection: Selection
  bulkActions: BulkActions
  onAssign: () => void
  onTag: () => void
  onSnooze: () => void
}

/** Actions for the selected tickets. */
export function BulkBar(props: BulkBarProps) {
  const count = () => props.selection.list().length
  return (
    <div class="bulk-bar" role="toolbar" aria-label="Selected tickets">
      <span class="bulk-bar-count count">{count()} selected</span>
      <Menu
        placement="top-end"
        trigger={(given) => (
          <IconButton {...given} name="More">
            <Ellipsis />
          </IconButton>
        )}
      >
        <MenuItem icon={<Clock />} keys="p" onSelect={() => props.bulkActions.change({ status: 'pending' })}>
          Set to pending
        </MenuItem>
        <MenuItem icon={<AlarmClock />} keys="s" onSelect={props.onSnooze}>
          Snooze…
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
      <div class="bulk-bar-actions">
        <Button
          size="small"
          icon={<CheckCheck />}
          keys="e"
          onClick={() => props.bulkActions.change({ status: 'resolved' })}
        >
          Resolve
        </Button>
        <Button size="small" icon={<UserRound />} keys="a" onClick={props.onAssign}>
          Assign
        </Button>
        <Button size="small" icon={<Tag />} keys="t" onClick={props.onTag}>
          Tags
        </Button>
      </div>
    </div>
  )
}
