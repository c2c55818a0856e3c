import UserRoundX from 'lucide-solid/icons/user-round-x'
import { type Accessor, createMemo } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import type { PickerOption } from '../../ui/picker.tsx'

/** Picked to take a ticket from everybody. */
export const NOBODY = ''

/** Who a ticket may be assigned to: oneself first, nobody last. */
export function useAssignees(): Accessor<PickerOption[]> {
  const agents = useAgents()
  const session = useSession()
  return createMemo(() => {
    const me = session().agent.id
    const able = agents().filter(({ state }) => state !== 'disabled')
    const sorted = able.toSorted(
      (a, b) => Number(b.id === me) - Number(a.id === me) || a.name.localeCompare(b.name),
    )
    const people = sorted.map(({ id, name, email }) => ({
      value: id,
      label: id === me ? `${name} (you)` : name,
      detail: email,
      icon: <Avatar name={name} id={id} size="small" isDecorative />,
    }))
    return [...people, { value: NOBODY, label: 'Nobody', icon: <UserRoundX /> }]
  })
}
