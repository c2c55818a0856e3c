import UserRoundX from 'lucide-solid/icons/user-round-x'
import { type Accessor, createMemo } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import type { PickerOption } from '../../ui/picker.tsx'

/** The option that removes the assignee. */
export const UNASSIGNED = ''

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
