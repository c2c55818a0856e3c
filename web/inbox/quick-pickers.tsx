import { createMemo } from 'solid-js'
import { useSession } from '../api/session.ts'
import { useAgents, useTags } from '../api/workspace.ts'
import { useAssignees } from '../ticket/header/assignees.tsx'
import { PickerList, type PickerOption } from '../ui/picker.tsx'
import { Overlay } from './palette/overlay.tsx'

interface QuickPickerProps {
  isOpen: boolean
  onClose: () => void
  /** How many tickets it is for. */
  count: number
}

/** Who gets the tickets. */
export function AssignPicker(
  props: QuickPickerProps & {
    selected: readonly string[]
    onPick: (agentId: string | null, name: string) => void
  },
) {
  const session = useSession()
  const agents = useAgents()
  const options = useAssignees()
  function pick(agentId: string): void {
    const me = session().agent.id
    const name = agents().find(({ id }) => id === agentId)?.name ?? 'nobody'
    props.onPick(agentId || null, agentId === me ? 'you' : name)
  }

  return (
    <Overlay isOpen={props.isOpen} onClose={props.onClose} label={`Assign ${countOf(props.count)}`} isSmall>
      <PickerList
        label={`Assign ${countOf(props.count)}`}
        options={options()}
        selected={props.selected}
        onPick={pick}
        onDone={props.onClose}
        emptyText="No agent is called that."
      />
    </Overlay>
  )
}

/** Which tags the tickets have. Those that all of them have are ticked; picking one gives or takes it. */
export function TagPicker(
  props: QuickPickerProps & { selected: readonly string[]; onPick: (tag: string) => void },
) {
  const tags = useTags()
  const options = createMemo((): PickerOption[] => {
    const known = new Set([...props.selected, ...tags().map(({ tag }) => tag)])
    return [...known].map((tag) => ({ value: tag, label: tag }))
  })
  return (
    <Overlay isOpen={props.isOpen} onClose={props.onClose} label={`Tag ${countOf(props.count)}`} isSmall>
      <PickerList
        label={`Tag ${countOf(props.count)}`}
        options={options()}
        selected={props.selected}
        onPick={props.onPick}
        onCreate={props.onPick}
        onDone={props.onClose}
        isMultiple
        emptyText="Type the name of a new tag."
      />
    </Overlay>
  )
}

function countOf(count: number): string {
  return count === 1 ? 'the ticket' : `${count} tickets`
}
