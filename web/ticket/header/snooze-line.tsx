import AlarmClock from 'lucide-solid/icons/alarm-clock'
import { Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { changeTicket } from '../changes/change-ticket.ts'
import { snoozeText } from '../ticket-names.ts'
import type { TicketDetail } from '../ticket-query.ts'
import './ticket-header.css'

/** Until when the ticket is snoozed and why, or that it is back. */
export function SnoozeLine(props: { detail: TicketDetail }) {
  return (
    <Show when={props.detail.snooze}>
      {(snooze) => (
        <div class="snooze-line" role="status">
          <AlarmClock />
          <span class="snooze-line-text">{snoozeText(snooze())}</span>
          <Show when={!snooze().isOver}>
            <Button
              size="small"
              look="quiet"
              onClick={() => void changeTicket(props.detail.ticket.id, { snoozedUntil: null })}
            >
              Wake now
            </Button>
          </Show>
        </div>
      )}
    </Show>
  )
}
