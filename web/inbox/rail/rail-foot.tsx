import { useNavigate } from '@solidjs/router'
import Bell from 'lucide-solid/icons/bell'
import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down'
import CircleUserRound from 'lucide-solid/icons/circle-user-round'
import Keyboard from 'lucide-solid/icons/keyboard'
import LogOut from 'lucide-solid/icons/log-out'
import Settings from 'lucide-solid/icons/settings'
import { createMemo, For, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import { setTheme, THEME_NAMES, THEMES, theme } from '../../browser/theme.ts'
import { online } from '../../live/live.ts'
import { signOut } from '../../ticket/sign-out.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuChoice, MenuGroup, MenuItem, MenuLine } from '../../ui/menu.tsx'

const MAX_FACES = 5

/** Colleagues who are online, and the menu of the agent's account. */
export function RailFoot(props: { onShowKeys: () => void }) {
  const session = useSession()
  const navigate = useNavigate()
  const isAdmin = () => session().agent.role === 'admin'
  return (
    <footer class="rail-foot">
      <OnlineColleagues />
      <div class="rail-foot-self">
        <Menu
          placement="top-start"
          trigger={(given) => (
            <Button {...given} look="quiet" class="rail-foot-account">
              <Avatar name={session().agent.name} id={session().agent.id} size="small" isDecorative />
              <span class="unseen">Your account: </span>
              <span class="rail-foot-name cut">{session().agent.name}</span>
              <ChevronsUpDown />
            </Button>
          )}
        >
          <MenuItem icon={<CircleUserRound />} onSelect={() => navigate('/settings/account')}>
            Your account
          </MenuItem>
          <MenuItem icon={<Bell />} onSelect={() => navigate('/settings/account/notifications')}>
            Notifications
          </MenuItem>
          <MenuItem icon={<Keyboard />} keys="?" onSelect={props.onShowKeys}>
            Keyboard shortcuts
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
      </div>
    </footer>
  )
}

/** The colleagues who have Bellhop open. */
function OnlineColleagues() {
  const session = useSession()
  const agents = useAgents()
  const colleagues = createMemo(() => {
    const ids = new Set(online())
    return agents().filter(({ id }) => ids.has(id) && id !== session().agent.id)
  })
  return (
    <Show when={colleagues().length > 0}>
      <div class="rail-foot-online">
        <ul class="rail-foot-faces" aria-label="Colleagues online">
          <For each={colleagues().slice(0, MAX_FACES)}>
            {(agent) => (
              <li>
                <Avatar name={agent.name} id={agent.id} size="small" />
              </li>
            )}
          </For>
        </ul>
        <span class="count">{colleagues().length} online</span>
      </div>
    </Show>
  )
}
