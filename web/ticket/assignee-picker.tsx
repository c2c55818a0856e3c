import ChevronDown from 'lucide-solid/icons/chevron-down'
import CircleUser from 'lucide-solid/icons/circle-user'
import UserRound from 'lucide-solid/icons/user-round'
import { createMemo, Show } from 'solid-js'
import { useAgents } from '../desk.ts'
import { useSession } from '../session.tsx'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Picker, type PickerOption } from '../ui/picker.tsx'
import { changeTicket } from './changes.ts'
import type { FactPickerProps } from './status-picker.tsx'

const NOBODY = ''

/** Who has the ticket. The agent at the page stands first. */
export function AssigneePicker(props: FactPickerProps) {
  const agents = useAgents()
  const session = useSession()
  const assignee = () => agents().find(({ id }) => id === props.ticket.assignedTo)
  const options = createMemo<PickerOption[]>(() => {
    const me = session().agent.id
    const able = agents().filter(({ state }) => state !== 'disabled')
    const sorted = [...able.filter(({ id }) => id === me), ...able.filter(({ id }) => id !== me)]
    return [
      ...sorted.map(({ id, name, email }) => ({
        value: id,
        label: id === me ? `${name} (you)` : name,
        detail: email,
        icon: <Avatar name={name} id={id} size="small" isDecorative />,
      })),
      { value: NOBODY, label: 'Nobody', icon: <UserRound /> },
    ]
  })
  const name = () => (props.ticket.assignedTo ? (assignee()?.name ?? 'Assigned') : 'Unassigned')
  return (
    <Picker
      label="Assign to"
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      options={options()}
      selected={[props.ticket.assignedTo ?? NOBODY]}
      onPick={(value) => {
        if (value !== (props.ticket.assignedTo ?? NOBODY)) {
          void changeTicket(props.ticket.id, { assignedTo: value || null })
        }
      }}
      trigger={(given) => (
        <Button {...given} size="small" class="fact-button">
          <span class="unseen">Assignee: {name()}</span>
          <Show when={assignee()} fallback={<CircleUser />}>
            {(agent) => <Avatar name={agent().name} id={agent().id} size="small" isDecorative />}
          </Show>
          <span class="fact-text" aria-hidden="true">
            {name()}
          </span>
          <ChevronDown />
        </Button>
      )}
    />
  )
}
