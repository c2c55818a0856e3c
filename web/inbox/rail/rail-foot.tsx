import { useNavigate } from '@solidjs/router'
import Bell from 'lucide-solid/icons/bell'
import BellOff from 'lucide-solid/icons/bell-off'
import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down'
import CircleUserRound from 'lucide-solid/icons/circle-user-round'
import Keyboard from 'lucide-solid/icons/keyboard'
import LogOut from 'lucide-solid/icons/log-out'
import Settings from 'lucide-solid/icons/settings'
import { For, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { setTheme, THEME_NAMES, THEMES, theme } from '../../browser/theme.ts'
import { signOut } from '../../sign-in/sign-out.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuChoice, MenuGroup, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { areNotificationsOn, canNotify, switchNotifications } from '../notifications.ts'
import { OnlineAgents } from './online-agents.tsx'

/** Who is online, and what is about oneself. */
export function RailFoot(props: { onShowKeys: () => void }) {
  const session = useSession()
  const navigate = useNavigate()
  const isAdmin = () => session().agent.role === 'admin'
  return (
    <footer class="rail-foot">
      <OnlineAgents />
      <div class="rail-self">
        <Menu
          placement="top-start"
          trigger={(given) => (
            <Button {...given} look="quiet" class="rail-account">
              <Avatar name={session().agent.name} id={session().agent.id} size="small" isDecorative />
              <span class="unseen">Your account: </span>
              <span class="rail-account-name">{session().agent.name}</span>
              <ChevronsUpDown />
            </Button>
          )}
        >
          <MenuItem icon={<CircleUserRound />} onSelect={() => navigate('/settings/account')}>
            Your account
          </MenuItem>
          <Show when={canNotify()}>
            <MenuItem
              icon={areNotificationsOn() ? <BellOff /> : <Bell />}
              onSelect={() => void switchNotifications(!areNotificationsOn())}
            >
              {areNotificationsOn() ? 'Stop desktop notifications' : 'Notify on the desktop'}
            </MenuItem>
          </Show>
          <MenuItem icon={<Keyboard />} keys="?" onSelect={props.onShowKeys}>
            Keys
          </MenuItem>
          <MenuLine />
          <MenuGroup label="Theme">
            <For each={THEMES}>
              {(one) => (
                <MenuChoice isChosen={theme() === one} onSelect={() => setTheme(one)}>
                  {THEME_NAMES[one]}
                </MenuChoice>
              )}
            </For>
          </MenuGroup>
          <MenuLine />
          <MenuItem icon={<LogOut />} onSelect={() => void signOut()}>
            Sign out
          </MenuItem>
        </Menu>
        <Show when={isAdmin()}>
          <IconButton name="Settings" onClick={() => navigate('/settings')}>
            <Settings />
          </IconButton>
        </Show>
        <IconButton name="Keys" keys="?" onClick={props.onShowKeys}>
          <Keyboard />
        </IconButton>
      </div>
    </footer>
  )
}
