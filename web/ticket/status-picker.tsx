import ChevronDown from 'lucide-solid/icons/chevron-down'
import { For } from 'solid-js'
import { StatusDot, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Menu, MenuChoice } from '../ui/menu.tsx'
import { changeTicket } from './changes.ts'
import type { Ticket, TicketStatus } from './ticket-data.ts'

const STATUSES: { status: TicketStatus; label: string; tone: Tone; keys?: string }[] = [
  { status: 'open', label: 'Open', tone: 'green' },
  { status: 'pending', label: 'Pending', tone: 'amber', keys: 'p' },
  { status: 'resolved', label: 'Resolved', tone: 'grey', keys: 'e' },
]

interface FactPickerProps {
  ticket: Ticket
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
}

/** Open, pending or resolved. */
export function StatusPicker(props: FactPickerProps) {
  const present = () => STATUSES.find(({ status }) => status === props.ticket.status)
  return (
    <Menu
      isOpen={props.isOpen}
      onOpenChange={props.onOpenChange}
      trigger={(given) => (
        <Button {...given} size="small" class="fact-button status-button">
          <span class="unseen">Status: </span>
          <StatusDot tone={present()?.tone ?? 'grey'} />
          {present()?.label}
          <ChevronDown />
        </Button>
      )}
    >
      <For each={STATUSES}>
        {({ status, label, tone, keys }) => (
          <MenuChoice
            isChosen={props.ticket.status === status}
            keys={keys}
            icon={<StatusDot tone={tone} />}
            onSelect={() => {
              if (props.ticket.status !== status) void changeTicket(props.ticket.id, { status })
            }}
          >
            {label}
          </MenuChoice>
        )}
      </For>
    </Menu>
  )
}
