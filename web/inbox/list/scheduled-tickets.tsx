import { createEffect, For } from 'solid-js'
import { timeOf, useNewTickets, words } from '../../ticket/outgoing/new-tickets.tsx'
import { Button } from '../../ui/button.tsx'
import { useCounts } from '../inbox-data.ts'
import './scheduled-tickets.css'

/** Above the list of Scheduled: new tickets that the agent sends later. They have no row of their own yet. */
export function ScheduledTickets() {
  const counts = useCounts()
  const { look, sendNow, takeBack, waiting } = useNewTickets()
  const scheduled = () => waiting().filter(({ isLater, isHeld }) => isLater && !isHeld)
  createEffect(() => {
    // One less when its time comes.
    counts()
    void look()
  })
  return (
    <div class="scheduled-tickets">
      <For each={scheduled()}>
        {(ticket) => (
          <article class="scheduled-tickets-card" aria-label="Scheduled ticket">
            <p class="cut">{words(ticket)}</p>
            <p class="cut muted small">
              Sends {timeOf(ticket)} · {ticket.subject}
            </p>
            <div class="scheduled-tickets-actions">
              <Button size="small" onClick={() => void takeBack(ticket)}>
                Edit
              </Button>
              <Button size="small" look="quiet" onClick={() => void sendNow(ticket.messageId)}>
                Send now
              </Button>
              <Button size="small" look="quiet" onClick={() => void takeBack(ticket, { isCanceled: true })}>
                Cancel
              </Button>
            </div>
          </article>
        )}
      </For>
    </div>
  )
}
