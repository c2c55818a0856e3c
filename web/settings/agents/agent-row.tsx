import Ellipsis from 'lucide-solid/icons/ellipsis'
import { type Accessor, createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import type { Agent } from '../../api/workspace.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Ago, Entry } from '../entry.tsx'

/** A one-time link, for an administrator to send. */
export interface ShownLink {
  agent: Pick<Agent, 'name'>
  url: string
  expiresAt: string
  purpose: 'invitation' | 'reset'
}

interface AgentRowProps {
  agent: Agent
  onLink: (link: ShownLink) => void
}

/** An agent with role, state and a menu of actions. */
export function AgentRow(props: AgentRowProps) {
  const session = useSession()
  const isMe = () => props.agent.id === session().agent.id
  return (
    <Entry
      icon={<Avatar name={props.agent.name} id={props.agent.id} size="large" isDecorative />}
      title={
        <>
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
        </>
      }
      facts={[
        props.agent.email,
        <Ago
          words="Last seen"
          at={props.agent.lastSeenAt}
          otherwise={props.agent.state === 'invited' ? "Hasn't joined yet" : 'Never signed in'}
        />,
      ]}
      actions={<AgentMenu agent={props.agent} onLink={props.onLink} />}
    />
  )
}

function AgentMenu(props: AgentRowProps) {
  const [dialog, setDialog] = createSignal<'disable' | 'reset'>()
  const actions = createAgentActions(() => props.agent)
  const close = () => setDialog(undefined)
  const showLink = async () => props.onLink({ agent: props.agent, ...(await actions.link()) })
  const isActive = () => props.agent.state === 'active'
  return (
    <>
      <Menu
        placement="bottom-end"
        trigger={(trigger) => (
          <IconButton {...trigger} name={`Actions for ${props.agent.name}`}>
            <Ellipsis />
          </IconButton>
        )}
      >
        <Show
          when={props.agent.state !== 'disabled'}
          fallback={<MenuItem onSelect={actions.enable}>Enable</MenuItem>}
        >
          <MenuItem onSelect={() => actions.setRole(props.agent.role === 'admin' ? 'agent' : 'admin')}>
            {props.agent.role === 'admin' ? 'Make agent' : 'Make administrator'}
          </MenuItem>
          <Show
            when={isActive()}
            fallback={
              <MenuItem onSelect={() => void actions.attempt(showLink)}>New invitation link</MenuItem>
            }
          >
            <MenuItem onSelect={() => setDialog('reset')}>Reset password…</MenuItem>
          </Show>
          <MenuLine />
          <MenuItem isDanger onSelect={() => setDialog('disable')}>
            Disable…
          </MenuItem>
        </Show>
      </Menu>
      <ConfirmDialog
        isOpen={dialog() === 'reset'}
        onClose={close}
        title={`Reset ${props.agent.name}'s password?`}
        text="They'll be signed out everywhere. Send them the link to choose a new password."
        action="Create reset link"
        onConfirm={showLink}
      />
      <ConfirmDialog
        isOpen={dialog() === 'disable'}
        onClose={close}
        title={`Disable ${props.agent.name}?`}
        text="They'll be signed out and can't sign in again. Their tickets become unassigned. Everything they wrote is kept. You can re-enable them any time."
        action="Disable"
        onConfirm={async () => toast(await actions.disable())}
      />
    </>
  )
}

/** What an administrator can change about an agent. */
function createAgentActions(agent: Accessor<Agent>) {
  const one = () => api.console.agents({ id: agent().id })

  /** Runs an action and shows why it failed. */
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      toastError(errorMessage(error))
    }
    agentsChanged()
  }

  function setRole(role: Role): void {
    const before = role === 'admin' ? 'agent' : 'admin'
    void attempt(async () => {
      await ask(one().patch({ role }))
      const word = ROLES.find(({ value }) => value === role)?.label.toLowerCase() ?? role
      toast(`${agent().name} is now an ${word}.`, { text: 'Undo', run: () => setRole(before) })
    })
  }

  function enable(): void {
    void attempt(async () => {
      await ask(one().enable.post())
      toast(`${agent().name} can sign in again.`)
    })
  }

  return {
    attempt,
    setRole,
    enable,
    /** Returns the text of the toast. Throws the server's error, for the dialog to show. */
    async disable(): Promise<string> {
      const { unassignedTickets: count } = await ask(one().disable.post())
      agentsChanged()
      const tickets = count === 1 ? '1 ticket was unassigned' : `${count} tickets were unassigned`
      return `Disabled ${agent().name}. ${count === 0 ? 'They had no tickets' : tickets}.`
    },
    /** Creates a link to choose a password. */
    async link() {
      const made = await ask(one().link.post())
      agentsChanged()
      return made
    },
  }
}

export type Role = Exclude<Agent['role'], 'program'>

export const ROLES: { value: Role; label: string; hint: string }[] = [
  { value: 'agent', label: 'Agent', hint: 'Replies to tickets.' },
  { value: 'admin', label: 'Administrator', hint: 'Replies to tickets and changes settings.' },
]

/** Reloads the agents after a change. */
export function agentsChanged(): void {
  void queries.invalidateQueries({ queryKey: queryKeys.agents })
  void queries.invalidateQueries({ queryKey: queryKeys.checklist })
}
