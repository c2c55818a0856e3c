import { createEffect, createSignal, For, Show } from 'solid-js'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import { timeOf, useNewTickets, words } from '../../ticket/outgoing/new-tickets.tsx'
import { Button } from '../../ui/button.tsx'
import { useCounts } from '../inbox-data.ts'
import type { InboxLocation } from '../location.ts'
import { EmptyList } from './list-states.tsx'
import type { TicketList } from './ticket-list.ts'
import './scheduled-tickets.css'

interface ScheduledTicketsProps {
  location: InboxLocation
  list: TicketList
  /** The list is loaded, and has no tickets. */
  isListEmpty: boolean
}

/** Above the list of Scheduled: new tickets that the agent sends later. They have no row of their own yet. */
export function ScheduledTickets(props: ScheduledTicketsProps) {
  const counts = useCounts()
  const { look, sendNow, takeBack, waiting } = useNewTickets()
  const [isKnown, setKnown] = createSignal(false)
  const scheduled = () => waiting().filter(({ isLater, isHeld }) => isLater && !isHeld)
  let cards!: HTMLDivElement
  createEffect(() => {
    // One less when its time comes.
    counts()
    void look().then(() => setKnown(true))
  })
  useCardKeys(() => [...cards.children], props.list)
  return (
    <>
      <div class="scheduled-tickets" ref={cards}>
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
      <Show when={props.isListEmpty && isKnown() && scheduled().length === 0}>
        <EmptyList location={props.location} />
      </Show>
    </>
  )
}

/** The keys of the rows also move through the cards above them, and Enter goes to the first one when there are no rows. */
function useCardKeys(cards: () => Element[], list: TicketList): void {
  const at = () => cards().findIndex((card) => card.contains(document.activeElement))
  const hasRows = () => list.ids().length > 0
  const isOnFirstRow = () =>
    list.indexOf(list.cursor()) === 0 && document.activeElement?.closest('.virtual-list') !== null

  function goTo(card: Element | undefined): void {
    card?.querySelector('button')?.focus()
  }
  function next(): void {
    const [card, row] = [cards()[at() + 1], list.ids()[0]]
    if (card) goTo(card)
    else if (row !== undefined) list.goTo(row)
  }
  const isHere = () => cards().length > 0 && (at() >= 0 || !hasRows())
  const moving = { isRepeated: true, isKeyOnly: true, isUnlisted: true }
  useKeys(() =>
    actionsIn('Move', [
      {
        id: 'scheduled.next',
        label: 'Next scheduled ticket',
        keys: ['j'],
        otherKeys: [['down']],
        isEnabled: isHere,
        run: next,
        ...moving,
      },
      {
        id: 'scheduled.previous',
        label: 'Previous scheduled ticket',
        keys: ['k'],
        otherKeys: [['up']],
        isEnabled: () => isHere() || (cards().length > 0 && isOnFirstRow()),
        run: () => goTo(at() < 0 ? cards().at(-1) : cards()[at() - 1]),
        ...moving,
      },
      {
        id: 'scheduled.first',
        label: 'First scheduled ticket',
        keys: ['enter'],
        isEnabled: () => cards().length > 0 && at() < 0 && !hasRows(),
        run: () => goTo(cards()[0]),
        ...moving,
      },
    ]),
  )
}
