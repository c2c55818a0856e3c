import ChevronDown from 'lucide-solid/icons/chevron-down'
import CircleUser from 'lucide-solid/icons/circle-user'
import { Show } from 'solid-js'
import { useAgents } from '../../api/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Picker } from '../../ui/picker.tsx'
import { changeTicket } from '../changes/change-ticket.ts'
import { UNASSIGNED, useAssignees } from './assignees.tsx'
import type { FactPickerProps } from './status-picker.tsx'

/** The assignee of the ticket. */
export function AssigneePicker(props: FactPickerProps) {
  const agents = useAgents()
  const assignee = () => agents().find(({ id }) => id === props.ticket.assignedTo)
  const options = useAssignees()
  const name = () => (props.ticket.assignedTo ? (assignee()?.name ?? 'Unknown agent') : 'Unassigned')
  return (
    <Picker
      label="Assign to"
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      options={options()}
      selected={[props.ticket.assignedTo ?? UNASSIGNED]}
      onPick={(value) => {
        if (value !== (props.ticket.assignedTo ?? UNASSIGNED)) {
          void changeTicket(props.ticket.id, { assignedTo: value || null })
        }
      }}
      trigger={(given) => (
        <Button {...given} size="small" class="ticket-fact">
          <span class="unseen">Assignee: {name()}</span>
          <Show when={assignee()} fallback={<CircleUser />}>
            {(agent) => <Avatar name={agent().name} id={agent().id} size="small" isDecorative />}
          </Show>
          <span class="assignee-picker-name" aria-hidden="true">
            {name()}
          </span>
          <ChevronDown />
        </Button>
      )}
    />
  )
}
