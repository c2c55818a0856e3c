import { useLocation, useNavigate } from '@solidjs/router'
import { createMemo, createSignal, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { observe } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { StatusDot } from '../../ui/badge.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { pushUndo } from '../changes/undo.ts'
import { type Customer, customerQuery } from '../customer/customer-query.ts'
import { isChat, STATUSES, shortId } from '../ticket-names.ts'
import type { Ticket, TicketStatus } from '../ticket-query.ts'
import { MAX_FOUND, MergeForm } from './merge-form.tsx'
import { mergeTickets, undoMove } from './moves.ts'
import { Outcome, type Side } from './outcome.tsx'

interface MergeDialogProps {
  isOpen: boolean
  onClose: () => void
  ticket: Ticket
}

/** A ticket that can be chosen. */
interface Choice extends Side {
  customer: string
  channel: Ticket['channel']
  status: TicketStatus
  lastMessageAt: string
}

/** Chooses the other ticket of a merge, says what will happen, and merges. */
export default function MergeDialog(props: MergeDialogProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title="Merge into…" size="wide">
      <Show when={props.isOpen}>
        <TicketForm {...props} />
      </Show>
    </Dialog>
  )
}

function TicketForm(props: MergeDialogProps) {
  const navigate = useNavigate()
  const location = useLocation()
  const [query, setQuery] = createSignal('')
  const [chosen, setChosen] = createSignal<Choice>()
  const [isSwapped, setSwapped] = createSignal(false)
  const [isRefused, setRefused] = createSignal(true)
  const customer = observe(() => customerQuery(props.ticket.customer.userId))
  const found = observe(() => ({
    queryKey: queryKeys.palette(`merge ${query()}`),
    queryFn: async () =>
      (await ask(api.console.tickets.get({ query: { q: query(), limit: MAX_FOUND } }))).data,
    enabled: query() !== '',
  }))
  /** The customer's tickets, open ones first, or those that were searched for. */
  const choices = createMemo<Choice[] | undefined>(() => {
    const rows =
      query() === ''
        ? ticketsOf(customer().data)
        : found().data?.map((row) => ({ ...row, customer: row.customer.name }))
    return rows?.filter(({ id }) => id !== props.ticket.id).slice(0, MAX_FOUND)
  })
  const own = (): Side => ({ id: props.ticket.id, subject: props.ticket.subject })
  const sides = createMemo(() => {
    const other = chosen()
    if (!other) return undefined
    return isSwapped() ? { from: other, into: own() } : { from: own(), into: other }
  })

  /** A chat can go into an email, but not the other way around. */
  function choose(choice: Choice | undefined): void {
    setChosen(choice)
    if (choice) setSwapped(isChat(choice.channel) && !isChat(props.ticket.channel))
  }

  async function merge({ from, into }: { from: Side; into: Side }): Promise<void> {
    const { id } = await mergeTickets(into.id, from.id)
    const here = location.pathname
    navigate(here.replace(props.ticket.id, into.id) + location.search, { scroll: false })
    pushUndo({
      label: `Merged ${shortId(from.id)} into ${shortId(into.id)}`,
      async undo() {
        await undoMove(id)
        navigate(here + location.search, { scroll: false })
      },
    })
    props.onClose()
  }
  const ready = () => {
    const both = isRefused() ? undefined : sides()
    return both && (() => merge(both))
  }
  const goes = () => {
    const both = sides()
    return both && shortId(both.from.id)
  }

  return (
    <MergeForm
      noun="ticket"
      placeholder="Words, an address, or #ticket"
      query={query()}
      onSearch={setQuery}
      found={query() === '' ? customer() : found()}
      choices={choices()}
      legend={query() === '' ? `Tickets of ${props.ticket.customer.name}` : 'Found'}
      noneText={query() === '' ? 'No other tickets. Search for one.' : 'Nothing found.'}
      choice={(choice) => (
        <>
          <StatusDot tone={STATUSES[choice.status].tone} label={STATUSES[choice.status].name} />
          <span class="merge-choice-text">
            <span class="cut">{choice.subject}</span>
            <span class="cut small muted">
              {choice.customer} · {shortId(choice.id)}
            </span>
          </span>
          <RelativeTime at={choice.lastMessageAt} />
        </>
      )}
      chosenId={chosen()?.id}
      onChoose={choose}
      outcome={<Show when={sides()}>{(both) => <Outcome {...both()} onRefused={setRefused} />}</Show>}
      goes={goes()}
      onSwap={() => setSwapped(!isSwapped())}
      merge={ready()}
      onCancel={props.onClose}
    />
  )
}

/** Undefined while they load. */
function ticketsOf(customer: Customer | undefined): Choice[] | undefined {
  return customer?.tickets
    .filter(({ isSpam }) => !isSpam)
    .map((row) => ({ ...row, customer: customer.name }))
    .sort((one, other) => Number(one.status === 'resolved') - Number(other.status === 'resolved'))
}
