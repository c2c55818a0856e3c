import ChevronDown from 'lucide-solid/icons/chevron-down'
import CircleUser from 'lucide-solid/icons/circle-user'
import UserRoundX from 'lucide-solid/icons/user-round-x'
import { type Accessor, createMemo, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Picker, type PickerOption } from '../../ui/picker.tsx'
import { changeTicket } from '../changes/change-ticket.ts'
import type { FactPickerProps } from './status-picker.tsx'

/** The option that removes the assignee. */
const UNASSIGNED = ''

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
        <Button {...given} size="small" class="ticket-header-fact">
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

/** Agents that a ticket can be assigned to: the signed-in agent first, "Unassigned" last. */
export function useAssignees(): Accessor<PickerOption[]> {
  const agents = useAgents()
  const session = useSession()
  return createMemo(() => {
    const me = session().agent.id
    const enabled = agents().filter(({ state }) => state !== 'disabled')
    const sorted = enabled.toSorted(
      (a, b) => Number(b.id === me) - Number(a.id === me) || a.name.localeCompare(b.name),
    )
    const people = sorted.map(({ id, name, email, state }) => {
      const hasNamesake = enabled.some((other) => other.id !== id && other.name === name)
      const notes = [hasNamesake ? email : '', state === 'invited' ? 'invited' : ''].filter(Boolean)
      return {
        value: id,
        label: id === me ? `${name} (you)` : name,
        detail: notes.join(' · ') || undefined,
        isMuted: state === 'invited',
        icon: <Avatar name={name} id={id} size="small" isDecorative />,
      }
    })
    return [...people, { value: UNASSIGNED, label: 'Unassigned', icon: <UserRoundX /> }]
  })
}
