import { useLocation, useNavigate } from '@solidjs/router'
import ArrowDownUp from 'lucide-solid/icons/arrow-down-up'
import { createEffect, createMemo, createSignal, For, Match, onCleanup, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { observe } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { StatusDot } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { pushUndo } from '../changes/undo.ts'
import { customerQuery } from '../customer/customer-query.ts'
import { isChat, STATUSES, shortId } from '../ticket-names.ts'
import type { Ticket, TicketStatus } from '../ticket-query.ts'
import { chooseFirst } from './first-choice.ts'
import { mergeTickets, undoMove } from './moves.ts'
import { Outcome, type Side } from './outcome.tsx'
import './merge.css'

const SEARCH_AFTER_MS = 200
const MAX_FOUND = 8

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
        <MergeForm {...props} />
      </Show>
    </Dialog>
  )
}

function MergeForm(props: MergeDialogProps) {
  const navigate = useNavigate()
  const location = useLocation()
  const [text, setText] = createSignal('')
  const [chosen, setChosen] = createSignal<Choice>()
  const [isSwapped, setSwapped] = createSignal(false)
  const [isBusy, setBusy] = createSignal(false)
  const [problem, setProblem] = createSignal<unknown>()
  const [isRefused, setRefused] = createSignal(true)
  const own = (): Side => ({ id: props.ticket.id, subject: props.ticket.subject })
  const sides = createMemo(() => {
    const other = chosen()
    if (!other) return undefined
    return isSwapped() ? { from: other, into: own() } : { from: own(), into: other }
  })

  /** A chat can go into an email, but not the other way around. */
  function choose(choice: Choice): void {
    setChosen(choice)
    setSwapped(isChat(choice.channel) && !isChat(props.ticket.channel))
  }

  async function merge(event: Event): Promise<void> {
    event.preventDefault()
    const both = sides()
    if (!both || isBusy() || isRefused()) return
    setBusy(true)
    setProblem(undefined)
    try {
      const { id } = await mergeTickets(both.into.id, both.from.id)
      const here = location.pathname
      navigate(here.replace(props.ticket.id, both.into.id) + location.search, { scroll: false })
      pushUndo({
        label: `Merged ${shortId(both.from.id)} into ${shortId(both.into.id)}`,
        async undo() {
          await undoMove(id)
          navigate(here + location.search, { scroll: false })
        },
      })
      props.onClose()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form class="stack merge-form" onSubmit={merge}>
      <TextField
        label="Find a ticket"
        placeholder="Words, an address, or #ticket"
        value={text()}
        onInput={(next) => {
          setText(next)
          setChosen(undefined)
        }}
        onKeyDown={(event) => chooseFirst(event, chosen() !== undefined)}
        autocomplete="off"
      />
      <Choices ticket={props.ticket} text={text().trim()} chosen={chosen()} onChoose={choose} />
      <Show when={sides()}>
        {(both) => (
          <>
            <Outcome {...both()} onRefused={setRefused} />
            <div>
              <Button
                size="small"
                look="quiet"
                icon={<ArrowDownUp />}
                onClick={() => setSwapped(!isSwapped())}
              >
                Swap: keep {shortId(both().from.id)} instead
              </Button>
            </div>
          </>
        )}
      </Show>
      <Show when={problem()}>{(error) => <ErrorText>{errorMessage(error())}</ErrorText>}</Show>
      <div class="dialog-foot">
        <Button onClick={() => props.onClose()}>Cancel</Button>
        <Button look="primary" type="submit" isBusy={isBusy()} disabled={!sides() || isRefused()}>
          Merge
        </Button>
      </div>
    </form>
  )
}

interface ChoicesProps {
  ticket: Ticket
  /** Empty for the customer's tickets. */
  text: string
  chosen: Choice | undefined
  onChoose: (choice: Choice) => void
}

/** The customer's tickets, open ones first, or those that were searched for. */
function Choices(props: ChoicesProps) {
  const [query, setQuery] = createSignal('')
  createEffect(() => {
    const next = props.text
    const timer = setTimeout(() => setQuery(next), SEARCH_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })
  const customer = observe(() => customerQuery(props.ticket.customer.userId))
  const found = observe(() => ({
    queryKey: queryKeys.palette(`merge ${query()}`),
    queryFn: async () =>
      (await ask(api.console.tickets.get({ query: { q: query(), limit: MAX_FOUND } }))).data,
    enabled: query() !== '',
  }))
  const read = () => (props.text === '' ? customer() : found())
  const choices = createMemo<Choice[] | undefined>(() => {
    const theirs = props.text === '' ? customer().data?.tickets : undefined
    const rows = theirs
      ? theirs
          .filter(({ isSpam }) => !isSpam)
          .map((row) => ({ ...row, customer: props.ticket.customer.name }))
          .sort((one, other) => Number(one.status === 'resolved') - Number(other.status === 'resolved'))
      : props.text === ''
        ? undefined
        : found().data?.map((row) => ({ ...row, customer: row.customer.name }))
    return rows?.filter(({ id }) => id !== props.ticket.id).slice(0, MAX_FOUND)
  })
  return (
    <fieldset
      class="merge-choices"
      aria-busy={props.text !== query() || (query() !== '' && found().isFetching)}
    >
      <legend class="small muted">
        {props.text === '' ? `Tickets of ${props.ticket.customer.name}` : 'Found'}
      </legend>
      <Switch fallback={<Skeleton lines={3} label="Loading tickets" />}>
        <Match when={choices()?.length === 0}>
          <p class="muted merge-choices-none">
            {props.text === '' ? 'No other tickets. Search for one.' : 'Nothing found.'}
          </p>
        </Match>
        <Match when={choices()}>
          {(rows) => (
            <For each={rows()}>
              {(choice) => (
                <label class="merge-choice">
                  <input
                    type="radio"
                    name="other"
                    checked={props.chosen?.id === choice.id}
                    onChange={() => props.onChoose(choice)}
                  />
                  <StatusDot tone={STATUSES[choice.status].tone} label={STATUSES[choice.status].name} />
                  <span class="merge-choice-text">
                    <span class="cut">{choice.subject}</span>
                    <span class="cut small muted">
                      {choice.customer} · {shortId(choice.id)}
                    </span>
                  </span>
                  <RelativeTime at={choice.lastMessageAt} />
                </label>
              )}
            </For>
          )}
        </Match>
        <Match when={read().error}>
          <FailedQuery title="Couldn't load tickets" query={read()} />
        </Match>
      </Switch>
    </fieldset>
  )
}
