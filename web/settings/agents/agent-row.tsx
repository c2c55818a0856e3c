import Ellipsis from 'lucide-solid/icons/ellipsis'
import { type Accessor, createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { uploadFile } from '../../api/upload-file.ts'
import type { Agent } from '../../api/workspace.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { createForm } from '../../forms/create-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast, toastError } from '../../ui/toaster.tsx'
import { Ago, Entry } from '../entry.tsx'
import { SuggestionCounts } from '../suggestion-counts.tsx'

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
          <Show when={isProgram(props.agent)}>
            <Badge>Program</Badge>
          </Show>
          <Show when={props.agent.state === 'invited'}>
            <Badge tone="amber">Invited</Badge>
          </Show>
          <Show when={props.agent.state === 'disabled'}>
            <Badge>Disabled</Badge>
          </Show>
        </>
      }
      facts={
        isProgram(props.agent)
          ? ['Works through its API keys']
          : [
              props.agent.email,
              <Ago
                words="Last seen"
                at={props.agent.lastSeenAt}
                otherwise={props.agent.state === 'invited' ? "Hasn't joined yet" : 'Never signed in'}
              />,
            ]
      }
      more={<SuggestionCounts byId={props.agent.id} />}
      actions={
        <Show
          when={isProgram(props.agent)}
          fallback={<AgentMenu agent={props.agent} onLink={props.onLink} />}
        >
          <ProgramMenu agent={props.agent} />
        </Show>
      }
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

function ProgramMenu(props: { agent: Agent }) {
  const [dialog, setDialog] = createSignal<'disable' | 'rename'>()
  const actions = createAgentActions(() => props.agent)
  const close = () => setDialog(undefined)
  let picker: HTMLInputElement | undefined
  return (
    <>
      <input
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        hidden
        aria-label={`Picture of ${props.agent.name}`}
        ref={picker}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? []
          if (file) void actions.attempt(() => actions.setPicture(file))
          event.currentTarget.value = ''
        }}
      />
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
          <MenuItem onSelect={() => setDialog('rename')}>Rename…</MenuItem>
          <MenuItem onSelect={() => picker?.click()}>
            {props.agent.picture ? 'Change picture…' : 'Add picture…'}
          </MenuItem>
          <Show when={props.agent.picture}>
            <MenuItem onSelect={() => void actions.attempt(() => actions.setPicture(undefined))}>
              Remove picture
            </MenuItem>
          </Show>
          <MenuLine />
          <MenuItem isDanger onSelect={() => setDialog('disable')}>
            Disable…
          </MenuItem>
        </Show>
      </Menu>
      <Show when={dialog() === 'rename'}>
        <ProgramDialog
          title={`Rename ${props.agent.name}`}
          name={props.agent.name}
          action="Rename"
          save={(name) => actions.rename(name)}
          onClose={close}
        />
      </Show>
      <ConfirmDialog
        isOpen={dialog() === 'disable'}
        onClose={close}
        title={`Disable ${props.agent.name}?`}
        text="Its API keys stop working at once, and its tickets become unassigned. Everything it wrote is kept. You can enable it again any time."
        action="Disable"
        onConfirm={async () => toast(await actions.disable())}
      />
    </>
  )
}

interface ProgramDialogProps {
  title: string
  description?: string
  name: string
  action: string
  save: (name: string) => Promise<unknown>
  onClose: () => void
}

/** Asks for the name of a program. */
export function ProgramDialog(props: ProgramDialogProps) {
  const form = createForm({
    values: () => ({ name: props.name }),
    save: ({ name }) => props.save(name),
    onSaved: () => {
      agentsChanged()
      props.onClose()
    },
  })
  return (
    <FormDialog
      form={form}
      title={props.title}
      description={props.description}
      action={props.action}
      onClose={props.onClose}
    >
      <TextField
        {...form.text('name')}
        label="Name"
        hint="Shown to customers on its replies."
        autocomplete="off"
        required
      />
    </FormDialog>
  )
}

/** It works through API keys, and can't sign in. */
function isProgram({ role }: Agent): boolean {
  return role === 'program'
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
      toast(isProgram(agent()) ? `Enabled ${agent().name}.` : `${agent().name} can sign in again.`)
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
    rename: (name: string) => ask(one().patch({ name })),
    /** Uploads the file; undefined for no picture. */
    async setPicture(file: File | undefined) {
      const { signal } = new AbortController()
      const upload = file && (await uploadFile(file, { isInline: false, signal, onProgress: () => {} }))
      await ask(one().picture.put({ picture: upload?.id ?? null }))
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
