import { useSession } from '../api/session.ts'
import { useAgents } from '../api/workspace.ts'
import { useAssignees, useTagOptions } from '../ticket/header/pickers.tsx'
import { PickerList } from '../ui/picker.tsx'
import { Overlay } from './palette/overlay.tsx'

interface QuickPickerProps {
  isOpen: boolean
  onClose: () => void
  /** The number of tickets to change. */
  count: number
}

/** Picks the assignee of the tickets. */
export function AssignPicker(
  props: QuickPickerProps & {
    selected: readonly string[]
    /** Gets the label of the toast too: "Assigned to Ben". */
    onPick: (agentId: string | null, done: string) => void
  },
) {
  const session = useSession()
  const agents = useAgents()
  const options = useAssignees()
  function pick(agentId: string): void {
    const isMe = agentId === session().agent.id
    const name = isMe ? 'you' : agents().find(({ id }) => id === agentId)?.name
    props.onPick(agentId || null, name === undefined ? 'Unassigned' : `Assigned to ${name}`)
  }

  return (
    <Overlay isOpen={props.isOpen} onClose={props.onClose} label={`Assign ${countOf(props.count)}`} isSmall>
      <PickerList
        label={`Assign ${countOf(props.count)}`}
        options={options()}
        selected={props.selected}
        onPick={pick}
        onDone={props.onClose}
        emptyText="No results"
      />
    </Overlay>
  )
}

/** Picks tags of the tickets. Tags that all of them have are checked; picking one adds or removes it. */
export function TagPicker(
  props: QuickPickerProps & { selected: readonly string[]; onPick: (tag: string) => void },
) {
  const options = useTagOptions(() => props.selected)
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
        emptyText="Type to create a tag."
      />
    </Overlay>
  )
}

function countOf(count: number): string {
  return count === 1 ? 'the ticket' : `${count} tickets`
}
