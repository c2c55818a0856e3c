import Ellipsis from 'lucide-solid/icons/ellipsis'
import { createSignal, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import type { Agent } from '../../api/workspace.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toaster.tsx'
import { createAgentActions } from './agent-actions.ts'
import type { ShownLink } from './link-dialog.tsx'

interface AgentRowProps {
  agent: Agent
  onLink: (link: ShownLink) => void
}

/** A person, what they are, and behind the dots everything that can be done with them. */
export function AgentRow(props: AgentRowProps) {
  const session = useSession()
  const isMe = () => props.agent.id === session().agent.id
  return (
    <li class="entry">
      <Avatar name={props.agent.name} id={props.agent.id} size="large" isDecorative />
      <div class="entry-words">
        <p class="entry-title">
          {props.agent.name}
          <Show when={isMe()}>
            <span class="muted">you</span>
          </Show>
          <Show when={props.agent.role === 'admin'}>
            <Badge tone="accent">Administrator</Badge>
          </Show>
          <Show when={props.agent.state === 'invited'}>
            <Badge tone="amber">Invited</Badge>
          </Show>
          <Show when={props.agent.state === 'disabled'}>
            <Badge>Disabled</Badge>
          </Show>
        </p>
        <p class="entry-facts">
          <span>{props.agent.email}</span>
          <LastSeen agent={props.agent} />
        </p>
      </div>
      <AgentMenu agent={props.agent} onLink={props.onLink} />
    </li>
  )
}

function LastSeen(props: { agent: Agent }) {
  return (
    <Show
      when={props.agent.lastSeenAt}
      fallback={<span>{props.agent.state === 'invited' ? 'Has not joined yet' : 'Never seen'}</span>}
    >
      {(at) => (
        <span>
          Last seen <RelativeTime at={at()} isLong />
        </span>
      )}
    </Show>
  )
}

function AgentMenu(props: AgentRowProps) {
  const [asked, setAsked] = createSignal<'disable' | 'reset'>()
  const actions = createAgentActions(() => props.agent)
  const close = () => setAsked(undefined)
  const showLink = async () => props.onLink({ agent: props.agent, ...(await actions.link()) })
  const isActive = () => props.agent.state === 'active'
  return (
    <>
      <Menu
        placement="bottom-end"
        trigger={(given) => (
          <IconButton {...given} name={`Change ${props.agent.name}`}>
            <Ellipsis />
          </IconButton>
        )}
      >
        <Show
          when={props.agent.state !== 'disabled'}
          fallback={<MenuItem onSelect={actions.enable}>Enable again</MenuItem>}
        >
          <MenuItem onSelect={() => actions.setRole(props.agent.role === 'admin' ? 'agent' : 'admin')}>
            {props.agent.role === 'admin' ? 'Make an agent' : 'Make an administrator'}
          </MenuItem>
          <Show
            when={isActive()}
            fallback={<MenuItem onSelect={() => void actions.tried(showLink)}>New invitation link</MenuItem>}
          >
            <MenuItem onSelect={() => setAsked('reset')}>Reset password…</MenuItem>
          </Show>
          <MenuLine />
          <MenuItem isDanger onSelect={() => setAsked('disable')}>
            Disable…
          </MenuItem>
        </Show>
      </Menu>
      <ConfirmDialog
        isOpen={asked() === 'reset'}
        onClose={close}
        title={`Reset the password of ${props.agent.name}?`}
        text="They are signed out everywhere, and choose a new password with a link that you give them."
        action="Make a reset link"
        onConfirm={showLink}
      />
      <ConfirmDialog
        isOpen={asked() === 'disable'}
        onClose={close}
        title={`Disable ${props.agent.name}?`}
        text="They are signed out everywhere and cannot sign in. Their tickets become unassigned; what they wrote stays. You can enable them again."
        action="Disable"
        onConfirm={async () => toast(await actions.disable())}
      />
    </>
  )
}
