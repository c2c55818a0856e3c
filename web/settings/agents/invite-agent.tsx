import { useMutation } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { askBeforeLeaving } from '../../browser/unsaved-warning.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { agentsChanged, ROLES, type Role } from './agent-actions.ts'
import type { ShownLink } from './link-dialog.tsx'

const FIELDS = ['name', 'email', 'role']

interface InviteAgentProps {
  isOpen: boolean
  onClose: () => void
  onLink: (link: ShownLink) => void
}

/** Asks for name, email and role, then shows the invitation link. */
export function InviteAgent(props: InviteAgentProps) {
  return (
    <Show when={props.isOpen}>
      <Inviting {...props} />
    </Show>
  )
}

function Inviting(props: InviteAgentProps) {
  const [name, setName] = createSignal('')
  const [email, setEmail] = createSignal('')
  const [role, setRole] = createSignal<Role>('agent')
  const invite = useMutation(() => ({
    mutationFn: () => ask(api.console.agents.post({ name: name(), email: email(), role: role() })),
    onSuccess: ({ agent, link }) => {
      agentsChanged()
      props.onClose()
      props.onLink({ agent, ...link, purpose: 'invitation' })
    },
  }))
  askBeforeLeaving(() => name() !== '' || email() !== '')
  return (
    <Dialog
      isOpen
      onClose={() => props.onClose()}
      title="Invite agent"
      description="Bellhop doesn't email invitations: copy the link and send it yourself."
    >
      <DialogForm save={invite} fields={FIELDS} action="Create link" onCancel={() => props.onClose()}>
        <TextField
          label="Name"
          hint="Shown to customers on their replies."
          value={name()}
          onInput={setName}
          error={fieldError(invite.error, 'name')}
          autocomplete="off"
          required
        />
        <TextField
          label="Email"
          type="email"
          hint="Used to sign in."
          value={email()}
          onInput={setEmail}
          error={fieldError(invite.error, 'email')}
          autocomplete="off"
          required
        />
        <Select label="Role" options={ROLES} value={role()} onChange={setRole} />
      </DialogForm>
    </Dialog>
  )
}
