import AtSign from 'lucide-solid/icons/at-sign'
import { createMemo } from 'solid-js'
import { mentionMark } from '../../../server/formatting/inline.ts'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import { online } from '../../live/live.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Picker, type PickerOption } from '../../ui/picker.tsx'

interface MentionPickerProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  /** The mention as Markdown. */
  onInsert: (markdown: string) => void
}

/** Searches the colleagues who can see the ticket, those who are here first, and mentions one in a note. */
export function MentionPicker(props: MentionPickerProps) {
  const agents = useAgents()
  const session = useSession()
  const people = createMemo(() => {
    const here = new Set(online())
    return agents()
      .filter(
        ({ id, role, state }) => state !== 'disabled' && role !== 'program' && id !== session().agent.id,
      )
      .map((agent) => ({ ...agent, isHere: here.has(agent.id) }))
      .toSorted((a, b) => Number(b.isHere) - Number(a.isHere) || a.name.localeCompare(b.name))
  })
  const options = createMemo<PickerOption[]>(() =>
    people().map(({ id, name, email, isHere }) => {
      const hasNamesake = people().some((other) => other.id !== id && other.name === name)
      const notes = [hasNamesake ? email : '', isHere ? '' : 'away'].filter(Boolean)
      return {
        value: id,
        label: name,
        detail: notes.join(' · ') || undefined,
        isMuted: !isHere,
        icon: <Avatar name={name} id={id} size="small" isDecorative />,
      }
    }),
  )
  return (
    <Picker
      label="Mention"
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      options={options()}
      selected={[]}
      onPick={(id) => {
        const agent = people().find((one) => one.id === id)
        if (agent) props.onInsert(mentionMark({ of: 'agent', id, name: agent.name }))
      }}
      emptyText={people().length > 0 ? 'No results' : 'No colleagues yet.'}
      trigger={(given) => (
        <IconButton {...given} name="Mention a colleague" keys="@" size="small">
          <AtSign />
        </IconButton>
      )}
    />
  )
}
