import ArrowDownUp from 'lucide-solid/icons/arrow-down-up'
import { createEffect, createMemo, createSignal, For, Match, onCleanup, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { observe, queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { pushUndo } from '../changes/undo.ts'
import { chooseFirst } from '../moves/first-choice.ts'
import { undoMove } from '../moves/moves.ts'
import { counted } from '../ticket-names.ts'
import { type Customer, customerQuery } from './customer-query.ts'
import '../moves/merge.css'
import './merge-customer.css'

const SEARCH_AFTER_MS = 200
const MAX_FOUND = 8

interface MergeCustomerProps {
  isOpen: boolean
  onClose: () => void
  customer: Customer
  /** Shows the one who stays. */
  onMerged: (id: string) => void
}

/** Chooses another customer, shows both, and merges them. */
export function MergeCustomer(props: MergeCustomerProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={() => props.onClose()} title="Merge into…" size="wide">
      <Show when={props.isOpen}>
        <MergeForm {...props} />
      </Show>
    </Dialog>
  )
}

function MergeForm(props: MergeCustomerProps) {
  const [text, setText] = createSignal(firstSearch(props.customer))
  const [chosenId, setChosenId] = createSignal('')
  const [isSwapped, setSwapped] = createSignal(false)
  const [isBusy, setBusy] = createSignal(false)
  const [problem, setProblem] = createSignal<unknown>()
  const chosen = observe(() => customerQuery(chosenId()))
  const sides = createMemo(() => {
    const other = chosenId() === '' ? undefined : chosen().data
    if (!other) return undefined
    return isSwapped() ? { from: other, into: props.customer } : { from: props.customer, into: other }
  })

  async function merge(event: Event): Promise<void> {
    event.preventDefault()
    const both = sides()
    if (!both || isBusy()) return
    const { from, into } = both
    const { onClose, onMerged } = props
    setBusy(true)
    setProblem(undefined)
    try {
      const { id } = await ask(api.console.customers({ id: into.id }).merge.post({ from: from.id }))
      onClose()
      onMerged(into.id)
      pushUndo({ label: `Merged ${from.name} into ${into.name}`, undo: () => undoMove(id) })
      void queries.invalidateQueries()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form class="stack merge-form" onSubmit={merge}>
      <TextField
        label="Find a customer"
        placeholder="Name, address, company, phone"
        value={text()}
        onInput={(next) => {
          setText(next)
          setChosenId('')
        }}
        onKeyDown={(event) => chooseFirst(event, chosenId() !== '')}
        // The name is there to begin with: what is typed replaces it.
        onFocus={({ currentTarget }) => currentTarget.select()}
        autocomplete="off"
      />
      <Choices customer={props.customer} text={text().trim()} chosen={chosenId()} onChoose={setChosenId} />
      <Show when={sides()}>
        {(both) => (
          <>
            <div class="merge-customer-sides">
              <SideCard title="Goes" customer={both().from} />
              <SideCard title="Stays" customer={both().into} />
            </div>
            <p>{outcome(both().from, both().into)} You can undo it for 30 days.</p>
            <div>
              <Button
                size="small"
                look="quiet"
                icon={<ArrowDownUp />}
                onClick={() => setSwapped(!isSwapped())}
              >
                Swap: keep {both().from.name} instead
              </Button>
            </div>
          </>
        )}
      </Show>
      <Show when={problem()}>{(error) => <ErrorText>{errorMessage(error())}</ErrorText>}</Show>
      <div class="dialog-foot">
        <Button onClick={() => props.onClose()}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={isBusy()} disabled={!sides()}>
          Merge
        </Button>
      </div>
    </form>
  )
}

/** Someone who wrote from two addresses often has the same name. */
function firstSearch({ name }: Customer): string {
  return /^Visitor \d+$/.test(name) ? '' : name
}

function outcome(from: Customer, into: Customer): string {
  const tickets = counted(from.totalTickets, 'ticket')
  const addresses = from.emails.length === 0 ? '' : ` and ${counted(from.emails.length, 'address', 'addresses')}`
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

interface ChoicesProps {
  customer: Customer
  text: string
  chosen: string
  onChoose: (id: string) => void
}

function Choices(props: ChoicesProps) {
  const [query, setQuery] = createSignal(props.text)
  createEffect(() => {
    const next = props.text
    const timer = setTimeout(() => setQuery(next), SEARCH_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })
  const found = observe(() => ({
    queryKey: queryKeys.customerList(`merge ${query()}`),
    queryFn: () => ask(api.console.customers.get({ query: { ...(query() && { q: query() }) } })),
  }))
  const choices = () =>
    found()
      .data?.data.filter(({ id }) => id !== props.customer.id)
      .slice(0, MAX_FOUND)
  return (
    <fieldset class="merge-choices" aria-busy={props.text !== query() || found().isFetching}>
      <legend class="small muted">{query() === '' ? 'Newest customers' : 'Found'}</legend>
      <Switch fallback={<Skeleton lines={3} label="Loading customers" />}>
        <Match when={choices()?.length === 0}>
          <p class="muted merge-choices-none">No other customer found. Search for one.</p>
        </Match>
        <Match when={choices()}>
          {(rows) => (
            <For each={rows()}>
              {(choice) => (
                <label class="merge-choice">
                  <input
                    type="radio"
                    name="other"
                    checked={props.chosen === choice.id}
                    onChange={() => props.onChoose(choice.id)}
                  />
                  <span class="merge-choice-text">
                    <span class="cut">{choice.name}</span>
                    <span class="small muted cut">
                      {[choice.emails.join(', ') || choice.unverifiedEmail, choice.company]
                        .filter(Boolean)
                        .join(' · ') || counted(choice.tickets, 'ticket')}
                    </span>
                  </span>
                </label>
              )}
            </For>
          )}
        </Match>
        <Match when={found().error}>
          <FailedQuery title="Couldn't load customers" query={found()} />
        </Match>
      </Switch>
    </fieldset>
  )
}
