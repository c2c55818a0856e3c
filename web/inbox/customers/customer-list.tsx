import { useNavigate, useSearchParams } from '@solidjs/router'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/solid-query'
import ContactRound from 'lucide-solid/icons/contact-round'
import Plus from 'lucide-solid/icons/plus'
import Search from 'lucide-solid/icons/search'
import SearchX from 'lucide-solid/icons/search-x'
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { logQuery } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { FailedQuery } from '../../forms/failed-state.tsx'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'
import { lazyDialog } from '../../live/lazy-page.tsx'
import { UnverifiedMark } from '../../ticket/customer/unverified-mark.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Panes, RailButton } from '../panes.tsx'

type Row = Answer<typeof api.console.customers.get>['data'][number]

const PAUSE_MS = 150
/** Too many words begin with a given letter to look them all up. In Chinese, Japanese and Korean, one is enough. */
const ONE_LETTER = /(?<!\S)[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}](?!\S)/u
/** The next page loads before the last row is in view. */
const LOAD_AHEAD_PX = 600

const NewCustomerDialog = lazyDialog(async () => ({
  default: (await import('./new-customer-dialog.tsx')).NewCustomerDialog,
}))

/** All customers, newest first, and a search over their names, addresses, companies and phone numbers. */
export function CustomerList(props: { panes: Panes; lastId: string | undefined }) {
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams<{ q?: string }>()
  const [typed, setTyped] = createSignal(search.q ?? '')
  const [isAdding, setAdding] = createSignal(false)
  const q = createMemo(() => search.q ?? '')
  let field: HTMLInputElement | undefined
  let list: HTMLUListElement | undefined
  let heading: HTMLHeadingElement | undefined
  createEffect(
    on(typed, (text) => {
      const timer = setTimeout(() => setSearch({ q: text.trim() || undefined }, { replace: true }), PAUSE_MS)
      onCleanup(() => clearTimeout(timer))
    }),
  )
  const query = useInfiniteQuery(() => ({
    ...logQuery((cursor, { signal }) =>
      ask(
        api.console.customers.get({
          query: { ...(q() && { q: q() }), ...(cursor && { cursor }) },
          fetch: { signal },
        }),
      ),
    ),
    queryKey: queryKeys.customerList(q()),
    placeholderData: keepPreviousData,
    reconcile: 'id',
  }))
  const rows = () => query.data?.pages.flatMap(({ data }) => data)
  /** Enter goes to the first row, as soon as it is of what was typed. */
  const [isEntering, setEntering] = createSignal(false)
  createEffect(() => {
    if (!isEntering() || q() !== typed().trim() || query.isFetching) return
    setEntering(false)
    queueMicrotask(() => move(1))
  })
  document.title = 'Customers · Bellhop'
  // What had the focus is gone with the previous page. The next key is for the row of the customer that was open.
  let isFocused = false
  createEffect(() => {
    // A list that was empty may have been read before the first customer came.
    if (isFocused || (query.isFetching && !rows()?.length)) return
    isFocused = true
    queueMicrotask(() => {
      if (document.activeElement !== document.body) return
      const row = list?.querySelector<HTMLElement>(`a[href$="${CSS.escape(props.lastId ?? '')}"]`)
      ;(row ?? list?.querySelector('a') ?? heading)?.focus()
    })
  })

  /** Moves the focus by so many rows. */
  function move(by: number): void {
    const links = [...(list?.querySelectorAll<HTMLElement>('a') ?? [])]
    const at = links.findIndex((link) => link.matches(':focus'))
    const next = at < 0 ? links[0] : links[Math.min(Math.max(at + by, 0), links.length - 1)]
    next?.focus()
  }

  useKeys(() => [
    ...actionsIn('Move', [
      { id: 'customers.next', label: 'Next customer', keys: ['j'], isRepeated: true, run: () => move(1) },
      {
        id: 'customers.previous',
        label: 'Previous customer',
        keys: ['k'],
        isRepeated: true,
        run: () => move(-1),
      },
      {
        id: 'customers.down',
        label: 'Next customer',
        keys: ['down'],
        isRepeated: true,
        isUnlisted: true,
        run: () => move(1),
      },
      {
        id: 'customers.up',
        label: 'Previous customer',
        keys: ['up'],
        isRepeated: true,
        isUnlisted: true,
        run: () => move(-1),
      },
    ]),
    ...actionsIn('Everywhere', [
      { id: 'customers.search', label: 'Search customers', keys: ['/'], run: () => field?.focus() },
      { id: 'customers.new', label: 'New customer', keys: ['c'], run: () => setAdding(true) },
    ]),
  ])

  return (
    <section class="customer-list" aria-label="Customers">
      <header class="customers-page-head">
        <RailButton panes={props.panes} />
        <h1 ref={heading} tabindex={-1}>
          Customers
        </h1>
        <search class="customer-list-search">
          <Search />
          <input
            type="search"
            aria-label="Search customers"
            placeholder="Name, address, company, phone"
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            value={typed()}
            ref={field}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown') move(1)
              else if (event.key === 'Enter') setEntering(true)
              else if (event.key === 'Escape' && typed() !== '') setTyped('')
              else if (event.key === 'Escape') event.currentTarget.blur()
              else return
              event.preventDefault()
              event.stopPropagation()
            }}
          />
        </search>
        <Button look="primary" icon={<Plus />} onClick={() => setAdding(true)}>
          New
        </Button>
      </header>
      <Switch fallback={<Skeleton lines={12} label="Loading customers" />}>
        <Match when={query.isLoadingError}>
          <FailedQuery title="Couldn't load customers" query={query} />
        </Match>
        <Match when={rows()?.length === 0}>
          <Show
            when={q() !== ''}
            fallback={
              <EmptyState
                icon={<ContactRound />}
                title="No customers yet"
                text="Everyone who writes to you appears here. You can also add someone before they write."
                action={<Button onClick={() => setAdding(true)}>New customer</Button>}
              />
            }
          >
            <EmptyState
              icon={<SearchX />}
              title={ONE_LETTER.test(q()) ? 'Type two letters' : 'No customer found'}
              text="Search for the beginning of a name, an address, a company or a phone number."
              action={<Button onClick={() => setTyped('')}>Clear search</Button>}
            />
          </Show>
        </Match>
        <Match when={rows()}>
          {(loaded) => (
            <>
              <div class="customer-list-names customer-list-columns" aria-hidden="true">
                <span>Name</span>
                <span>Addresses</span>
                <span>Company</span>
                <span class="customer-list-number">Tickets</span>
                <span class="customer-list-number">Last message</span>
              </div>
              <ul ref={list} aria-label="Customers" aria-busy={query.isPlaceholderData || undefined}>
                <For each={loaded()}>{(customer) => <CustomerRow customer={customer} />}</For>
              </ul>
              <Show when={query.hasNextPage}>
                <More
                  isBusy={query.isFetchingNextPage}
                  isFailed={query.isFetchNextPageError}
                  onMore={() => void query.fetchNextPage()}
                />
              </Show>
            </>
          )}
        </Match>
      </Switch>
      <NewCustomerDialog
        isOpen={isAdding()}
        onClose={() => setAdding(false)}
        onMade={({ id }) => {
          setAdding(false)
          navigate(`/customers/${id}`)
        }}
      />
    </section>
  )
}

/** Loads the next page as soon as it is nearly in view. */
function More(props: { isBusy: boolean; isFailed: boolean; onMore: () => void }) {
  let place: HTMLDivElement | undefined
  onMount(() => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting && !props.isBusy && !props.isFailed) props.onMore()
      },
      { rootMargin: `${LOAD_AHEAD_PX}px` },
    )
    if (place) observer.observe(place)
    onCleanup(() => observer.disconnect())
  })
  return (
    <div class="customer-list-more" ref={place}>
      <Button isBusy={props.isBusy} onClick={() => props.onMore()}>
        {props.isFailed ? "Couldn't load more. Try again" : 'Show more'}
      </Button>
    </div>
  )
}

function CustomerRow(props: { customer: Row }) {
  const emails = () => props.customer.emails
  return (
    <li>
      <a class="customer-list-row customer-list-columns" href={`/customers/${props.customer.id}`}>
        <span class="customer-list-name">
          <Avatar name={props.customer.name} id={props.customer.id} size="small" isCustomer isDecorative />
          <strong class="cut">{props.customer.name}</strong>
          <Show when={props.customer.unverified}>
            <UnverifiedMark />
          </Show>
        </span>
        <span class="customer-list-emails">
          <span class="cut" title={emails().join(', ')}>
            {emails()[0] ?? props.customer.unverifiedEmail ?? ''}
          </span>
          <Show when={emails().length > 1}>
            <span class="customer-list-others">+{emails().length - 1}</span>
          </Show>
        </span>
        <span class="customer-list-company cut">{props.customer.company}</span>
        <span class="customer-list-number">
          {props.customer.tickets.toLocaleString()}
          {props.customer.hasMoreTickets ? '+' : ''}
          <span class="customer-list-word">{props.customer.tickets === 1 ? ' ticket' : ' tickets'}</span>
        </span>
        <span class="customer-list-number customer-list-time">
          <Show when={props.customer.lastMessageAt}>{(at) => <RelativeTime at={at()} />}</Show>
        </span>
      </a>
    </li>
  )
}
