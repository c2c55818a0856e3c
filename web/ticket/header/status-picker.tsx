import ChevronDown from 'lucide-solid/icons/chevron-down'
import { For } from 'solid-js'
import { StatusDot } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { changeTicket } from '../changes/change-ticket.ts'
import { STATUSES } from '../ticket-names.ts'
import type { Ticket, TicketStatus } from '../ticket-query.ts'

const CHOICES: { status: TicketStatus; keys?: string }[] = [
  { status: 'open' },
  { status: 'pending', keys: 'p' },
  { status: 'resolved', keys: 'e' },
]

/** Props of the pickers in the header of a ticket. */
export interface FactPickerProps {
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
