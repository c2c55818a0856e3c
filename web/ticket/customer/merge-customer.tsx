import { createMemo, createSignal, For, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { observe, queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { pushUndo } from '../changes/undo.ts'
import { MAX_FOUND, MergeForm } from '../moves/merge-form.tsx'
import { undoMove } from '../moves/moves.ts'
import { counted } from '../ticket-names.ts'
import { type Customer, customerQuery } from './customer-query.ts'
import './merge-customer.css'

interface MergeCustomerProps {
  isOpen: boolean
  onClose: () => void
  customer: Customer
  /** Shows the one who stays. */
  onMerged: (id: string) => void
}

interface Sides {
  from: Customer
  into: Customer
}

/** Chooses another customer, shows both, and merges them. */
export function MergeCustomer(props: MergeCustomerProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={() => props.onClose()} title="Merge into…" size="wide">
      <Show when={props.isOpen}>
        <CustomerForm {...props} />
      </Show>
    </Dialog>
  )
}

function CustomerForm(props: MergeCustomerProps) {
  const [query, setQuery] = createSignal(firstSearch(props.customer))
  const [chosenId, setChosenId] = createSignal<string>()
  const [isSwapped, setSwapped] = createSignal(false)
  const chosen = observe(() => customerQuery(chosenId() ?? ''))
  const found = observe(() => ({
    queryKey: queryKeys.customerList(`merge ${query()}`),
    queryFn: () => ask(api.console.customers.get({ query: { ...(query() && { q: query() }) } })),
  }))
  const choices = () =>
    found()
      .data?.data.filter(({ id }) => id !== props.customer.id)
      .slice(0, MAX_FOUND)
  const sides = createMemo(() => {
    const other = chosenId() === undefined ? undefined : chosen().data
    if (!other) return undefined
    return isSwapped() ? { from: other, into: props.customer } : { from: props.customer, into: other }
  })

  async function merge({ from, into }: Sides): Promise<void> {
    const { onClose, onMerged } = props
    const { id } = await ask(api.console.customers({ id: into.id }).merge.post({ from: from.id }))
    onClose()
    onMerged(into.id)
    pushUndo({ label: `Merged ${from.name} into ${into.name}`, undo: () => undoMove(id) })
    void queries.invalidateQueries()
  }
  const ready = () => {
    const both = sides()
    return both && (() => merge(both))
  }

  return (
    <MergeForm
      noun="customer"
      placeholder="Name, address, company, phone"
      query={query()}
      onSearch={setQuery}
      found={found()}
      choices={choices()}
      legend={query() === '' ? 'Newest customers' : 'Found'}
      noneText="No other customer found. Search for one."
      choice={(choice) => (
        <span class="merge-choice-text">
          <span class="cut">{choice.name}</span>
          <span class="small muted cut">
            {[choice.emails.join(', ') || choice.unverifiedEmail, choice.company]
              .filter(Boolean)
              .join(' · ') || counted(choice.tickets, 'ticket')}
          </span>
        </span>
      )}
      chosenId={chosenId()}
      onChoose={(choice) => setChosenId(choice?.id)}
      outcome={<Show when={sides()}>{(both) => <Outcome {...both()} />}</Show>}
      goes={sides()?.from.name}
      onSwap={() => setSwapped(!isSwapped())}
      merge={ready()}
      onCancel={props.onClose}
    />
  )
}

function Outcome(props: Sides) {
  return (
    <>
      <div class="merge-customer-sides">
        <SideCard title="Goes" customer={props.from} />
        <SideCard title="Stays" customer={props.into} />
      </div>
      <p>{outcomeOf(props)} You can undo it for 30 days.</p>
    </>
  )
}

/** Someone who wrote from two addresses often has the same name. */
function firstSearch({ name }: Customer): string {
  return /^Visitor \d+$/.test(name) ? '' : name
}

function outcomeOf({ from, into }: Sides): string {
  const tickets = counted(from.totalTickets, 'ticket')
  const addresses =
    from.emails.length === 0 ? '' : ` and ${counted(from.emails.length, 'address', 'addresses')}`
  return `${tickets}${addresses} of ${from.name} go to ${into.name}.`
}

function SideCard(props: { title: string; customer: Customer }) {
  const facts = () => [...props.customer.emails, props.customer.company, props.customer.phone].filter(Boolean)
  return (
    <section class="merge-customer-side" aria-label={`${props.title}: ${props.customer.name}`}>
      <h3 class="small muted">{props.title}</h3>
      <strong>{props.customer.name}</strong>
      <ul>
        <For each={facts()}>{(fact) => <li>{fact}</li>}</For>
        <li class="muted">{counted(props.customer.totalTickets, 'ticket')}</li>
      </ul>
    </section>
  )
}
