import { useQuery } from '@tanstack/solid-query'
import Bot from 'lucide-solid/icons/bot'
import UserPlus from 'lucide-solid/icons/user-plus'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { agentsQuery } from '../../api/workspace.ts'
import { createForm } from '../../forms/create-form.ts'
import { FormDialog } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { LocalAddress } from '../code-block.tsx'
import { shortTime } from '../detail-list.tsx'
import { ListPage } from '../query-view.tsx'
import { SecretOnce } from '../secret.tsx'
import { AgentRow, agentsChanged, ProgramDialog, ROLES, type Role, type ShownLink } from './agent-row.tsx'

/** The agents of the organization: invitations, roles, disabled accounts. */
export function AgentsPage() {
  const query = useQuery(() => ({ ...agentsQuery, reconcile: 'id' }))
  const [link, setLink] = createSignal<ShownLink>()
  const [isProgramNew, setProgramNew] = createSignal(false)
  return (
    <ListPage
      title="Agents"
      lead="Everyone who replies to tickets: people, and programs that use the API. Administrators can also change settings."
      query={query}
      what="agents"
      actions={
        <Button icon={<Bot />} onClick={() => setProgramNew(true)}>
          New program
        </Button>
      }
      add={{
        text: 'Invite agent',
        icon: <UserPlus />,
        dialog: (close) => <InviteAgent onClose={close} onLink={setLink} />,
      }}
      empty={{ title: 'No agents' }}
      row={(agent) => <AgentRow agent={agent} onLink={setLink} />}
      ended={{ has: ({ state }) => state === 'disabled', title: 'Disabled' }}
    >
      <LinkDialog link={link()} onClose={() => setLink(undefined)} />
      <Show when={isProgramNew()}>
        <ProgramDialog
          title="New program"
          description="A program answers and changes tickets through the API, under a name of its own. Create an API key for it next."
          name=""
          action="Create program"
          save={(name) => ask(api.console.programs.post({ name }))}
          onClose={() => setProgramNew(false)}
        />
      </Show>
    </ListPage>
  )
}

/** Asks for name, email and role, then shows the invitation link. */
function InviteAgent(props: { onClose: () => void; onLink: (link: ShownLink) => void }) {
  const form = createForm({
    values: (): { name: string; email: string; role: Role } => ({ name: '', email: '', role: 'agent' }),
    save: (values) => ask(api.console.agents.post(values)),
    onSaved: ({ agent, link }) => {
      agentsChanged()
      props.onClose()
      props.onLink({ agent, ...link, purpose: 'invitation' })
    },
  })
  return (
    <FormDialog
      form={form}
      title="Invite agent"
      description="Bellhop doesn't email invitations: copy the link and send it yourself."
      action="Create link"
      onClose={props.onClose}
    >
      <TextField
        {...form.text('name')}
        label="Name"
        hint="Shown to customers on their replies."
        autocomplete="off"
        required
      />
      <TextField
        {...form.text('email')}
        label="Email"
        type="email"
        hint="Used to sign in."
        autocomplete="off"
        required
      />
      <Select {...form.choice('role')} label="Role" options={ROLES} />
    </FormDialog>
  )
}

/** Shows a one-time link to choose a password, for an administrator to send. */
function LinkDialog(props: { link: ShownLink | undefined; onClose: () => void }) {
  return (
    <Dialog
      isOpen={props.link !== undefined}
      title={props.link?.purpose === 'reset' ? 'Password reset link' : 'Invitation link'}
      description={
        props.link &&
        `Send this to ${props.link.agent.name} privately. Anyone with the link can set the password, once.`
      }
      size="wide"
      footer={
        <Button look="primary" onClick={() => props.onClose()}>
          Done
        </Button>
      }
    >
      <div class="stack-tight">
        <LocalAddress url={props.link?.url ?? ''} what="This link" />
        <SecretOnce label="Link" secret={props.link?.url ?? ''} />
        <p class="muted small">
          Expires {props.link && shortTime(props.link.expiresAt)}. Creating a new link cancels this one.
        </p>
      </div>
    </Dialog>
  )
}
