import { useAgents } from '../api/workspace.ts'
import { Select } from '../ui/select.tsx'

const NOBODY = 'none'

interface AssigneeSelectProps {
  /** The id of an agent; empty for no one. */
  value: string
  onChange: (agentId: string) => void
  error?: string | undefined
}

/** Who new tickets of a mailbox or bot are assigned to. */
export function AssigneeSelect(props: AssigneeSelectProps) {
  const agents = useAgents()
  const options = () => [
    { value: NOBODY, label: 'No one' },
    ...agents()
      .filter(({ id, state }) => state !== 'disabled' || id === props.value)
      .map(({ id, name, role }) => ({ value: id, label: role === 'program' ? `${name} (program)` : name })),
  ]
  return (
    <Select
      label="Assign new tickets to"
      options={options()}
      value={props.value || NOBODY}
      onChange={(id) => props.onChange(id === NOBODY ? '' : id)}
      error={props.error}
    />
  )
}
