import ChevronDown from 'lucide-solid/icons/chevron-down'
import CircleUser from 'lucide-solid/icons/circle-user'
import Tag from 'lucide-solid/icons/tag'
import UserRoundX from 'lucide-solid/icons/user-round-x'
import { type Accessor, createMemo, For, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { useAgents, useTags } from '../../api/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge, StatusDot } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { Picker, type PickerOption } from '../../ui/picker.tsx'
import { changeTicket } from '../changes/change-ticket.ts'
import { STATUSES } from '../ticket-names.ts'
import type { Ticket, TicketStatus } from '../ticket-query.ts'

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
    const people = sorted.map(({ id, name, email, role, state }) => {
      const hasNamesake = enabled.some((other) => other.id !== id && other.name === name)
      const kind = role === 'program' ? 'program' : state === 'invited' && 'invited'
      const notes = [hasNamesake && email, kind].filter(Boolean)
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

const CHOICES: { status: TicketStatus; keys?: string }[] = [
  { status: 'open' },
  { status: 'pending', keys: 'p' },
  { status: 'resolved', keys: 'e' },
]

/** Props of the pickers in the header of a ticket. */
interface FactPickerProps {
  ticket: Ticket
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

/** Open, pending or resolved. */
export function StatusPicker(props: FactPickerProps) {
  const current = () => STATUSES[props.ticket.status]
  return (
    <Menu
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      trigger={(given) => (
        <Button {...given} size="small" class="ticket-header-fact status-picker-button">
          <span class="unseen">Status: </span>
          <StatusDot tone={current().tone} />
          {current().name}
          <ChevronDown />
        </Button>
      )}
    >
      <For each={CHOICES}>
        {({ status, keys }) => (
          <MenuChoice
            isChosen={props.ticket.status === status}
            keys={keys}
            icon={<StatusDot tone={STATUSES[status].tone} />}
            onSelect={() => {
              if (props.ticket.status !== status) void changeTicket(props.ticket.id, { status })
            }}
          >
            {STATUSES[status].name}
          </MenuChoice>
        )}
      </For>
    </Menu>
  )
}

/** The others are counted, and named in the tooltip. A narrow header shows one (see ticket-header.css). */
const MAX_SHOWN = 3

/** The tags of the ticket. */
export function TagsPicker(props: FactPickerProps) {
  const tags = () => props.ticket.tags
  const options = useTagOptions(tags)
  const toggle = (tag: string) =>
    void changeTicket(props.ticket.id, tags().includes(tag) ? { removeTags: [tag] } : { addTags: [tag] })
  return (
    <Picker
      label="Add or remove tags"
      isMultiple
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      options={options()}
      selected={tags()}
      onPick={toggle}
      onCreate={toggle}
      emptyText="No tags yet. Type one to create it."
      trigger={(given) => (
        <Button
          {...given}
          size="small"
          class="ticket-header-fact tags-picker-button"
          title={tags().join(', ') || undefined}
        >
          <span class="unseen">{tags().length ? `Tags: ${tags().join(', ')}` : 'Add tags'}</span>
          <Tag />
          <span class="tags-picker-tags" aria-hidden="true">
            <Show when={tags().length > 0} fallback="Tags">
              <For each={tags().slice(0, MAX_SHOWN)}>{(tag) => <Badge>{tag}</Badge>}</For>
              <Show when={tags().length > 1}>
                <span class="tags-picker-more-narrow">+{tags().length - 1}</span>
              </Show>
              <Show when={tags().length > MAX_SHOWN}>
                <span class="tags-picker-more-wide">+{tags().length - MAX_SHOWN}</span>
              </Show>
            </Show>
          </span>
        </Button>
      )}
    />
  )
}

/** All tags, those of the tickets first. */
export function useTagOptions(selected: Accessor<readonly string[]>): Accessor<PickerOption[]> {
  const known = useTags()
  return createMemo(() => {
    const tags = new Set([...selected(), ...known().map(({ tag }) => tag)])
    return [...tags].map((tag) => ({ value: tag, label: tag }))
  })
}
