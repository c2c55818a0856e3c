import { useNavigate } from '@solidjs/router'
import { createMemo, For, Match, Show, Switch } from 'solid-js'
import { codeOf, errorMessage } from '../../api/api-problem.ts'
import { observe } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { checklistQuery, countSteps } from '../../api/workspace.ts'
import { FailedState } from '../../forms/failed-state.tsx'
import { lazyPart } from '../../live/lazy-page.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useCountsResult } from '../inbox-data.ts'
import type { InboxLocation } from '../location.ts'
import { SEARCH } from '../rail/views.ts'
import type { TicketList } from './ticket-list.ts'
import './list-pane.css'

import CircleCheck from 'lucide-solid/icons/circle-check'
import Inbox from 'lucide-solid/icons/inbox'
import Rocket from 'lucide-solid/icons/rocket'
import SearchX from 'lucide-solid/icons/search-x'

const SearchFilters = lazyPart(async () => (await import('../search/search-filters.tsx')).SearchFilters)

/** The views in which a new user looks for tickets. */
const FIRST_VIEWS: readonly string[] = ['mine', 'unassigned', 'open']
const SKELETON_ROWS = 8

const TEXTS: Record<string, { title: string; text: string }> = {
  mine: { title: 'All done', text: 'No open tickets are assigned to you.' },
  mentions: { title: 'No mentions', text: 'Notes that mention you appear here.' },
  unassigned: { title: 'No unassigned tickets', text: 'Everything is assigned.' },
  open: { title: 'All done', text: 'There are no open tickets.' },
  pending: { title: 'No pending tickets', text: 'Tickets waiting on the customer appear here.' },
  snoozed: { title: 'No snoozed tickets', text: 'Tickets that are put away appear here.' },
  resolved: { title: 'No resolved tickets', text: 'Resolved tickets appear here.' },
  failed: { title: 'No failed replies', text: "Replies that couldn't be sent appear here." },
  held: {
    title: 'No held replies',
    text: 'If a colleague replies first, your reply is held here.',
  },
  scheduled: {
    title: 'Nothing scheduled',
    text: 'What you send later waits here. Choose Send later… in the menu beside Send.',
  },
  suggested: { title: 'No suggestions', text: 'Tickets with a suggested reply appear here.' },
  spam: { title: 'No spam', text: 'Tickets marked as spam appear here, and in no other view.' },
}

/** Shown instead of a list that has no tickets. */
export function EmptyList(props: { location: InboxLocation }) {
  const id = () => props.location.viewId()
  const isFirstDay = useIsFirstDay()
  /** Undefined until it is known. */
  const isSetup = () => (FIRST_VIEWS.includes(id()) ? isFirstDay() : false)
  const texts = () => TEXTS[id()] ?? { title: 'No tickets', text: 'Nothing here right now.' }
  return (
    <div class="list-states">
      <Switch>
        <Match when={props.location.isViewMissing()}>
          <EmptyState
            icon={<SearchX />}
            title="View not found"
            text="It was deleted, or it isn't shared with you."
            action={<Button onClick={() => props.location.openView('mine')}>Go to My open</Button>}
          />
        </Match>
        <Match when={isSetup()}>
          <FirstSteps />
        </Match>
        <Match when={id() === SEARCH}>
          <EmptyState icon={<SearchX />} title="No results" text="Try other words, or filter by:" />
          <SearchFilters />
        </Match>
        <Match when={isSetup() === false}>
          <EmptyState
            icon={id() === 'mine' ? <CircleCheck /> : <Inbox />}
            title={texts().title}
            text={texts().text}
          />
        </Match>
      </Switch>
      <Show when={id() === 'mine' && isSetup() === false}>
        <p class="list-states-hint">
          <Button size="small" look="quiet" keys="g u" onClick={() => props.location.openView('unassigned')}>
            See unassigned tickets
          </Button>
        </p>
      </Show>
    </div>
  )
}

interface FailedListProps {
  error: unknown
  onRetry: () => void
  isBusy: boolean
}

/** Shown instead of a list that couldn't be loaded. A search that can't be read is explained, not reported as an error. */
export function FailedList(props: FailedListProps) {
  return (
    <div class="list-states">
      <Show
        when={codeOf(props.error) === 'invalid_query'}
        fallback={
          <FailedState
            title="Couldn't load tickets"
            error={props.error}
            onRetry={props.onRetry}
            isBusy={props.isBusy}
          />
        }
      >
        <div role="status">
          <EmptyState
            icon={<SearchX />}
            title="Can't read that search"
            text={errorMessage(props.error)}
            action={<DocsLink to="/docs/inbox#search">How search works</DocsLink>}
          />
        </div>
      </Show>
    </div>
  )
}

/** Placeholder rows, visible only when loading takes long. */
export function ListSkeleton() {
  return (
    <div class="is-late" role="status" aria-label="Loading tickets">
      <For each={Array.from({ length: SKELETON_ROWS })}>
        {() => (
          <div class="list-states-skeleton">
            <span class="skeleton-line" />
            <span class="skeleton-line" />
            <span class="skeleton-line" />
          </div>
        )}
      </For>
    </div>
  )
}

/** Whether an admin sees an organization that has no tickets yet. Undefined until that is known. */
function useIsFirstDay() {
  const session = useSession()
  const counts = useCountsResult()
  return createMemo(() => {
    if (session().agent.role !== 'admin') return false
    const { data, isPending } = counts()
    if (isPending) return undefined
    return data !== undefined && Object.values(data.views).every((count) => count === 0)
  })
}

/** Links to the setup page and shows how much is done. */
function FirstSteps() {
  const navigate = useNavigate()
  const result = observe(() => checklistQuery)
  const count = () => countSteps(result().data?.data ?? [])
  return (
    <EmptyState
      icon={<Rocket />}
      title="Your inbox is ready"
      text={
        <>
          Connect a channel to start receiving tickets, or <a href="/settings/keys">create an API key</a> to
          create them with your own software.
          {count().done > 0 ? ` ${count().done} of ${count().possible} steps done.` : ''}
        </>
      }
      action={
        <Button look="primary" onClick={() => navigate('/settings/start')}>
          {count().done > 0 ? 'Continue setup' : 'Start setup'}
        </Button>
      }
    />
  )
}

interface TooBroadProps {
  list: TicketList
  /** The server's sentence: what to add to the search. */
  advice: string
}

/** Below the tickets that a search found before it stopped, or in place of them. */
export function TooBroad(props: TooBroadProps) {
  const older = () => (
    <Show when={props.list.hasMore()}>
      <Button size="small" isBusy={props.list.isLoadingMore()} onClick={props.list.loadMore}>
        Search older tickets
      </Button>
    </Show>
  )
  return (
    <Show
      when={props.list.ids().length > 0}
      fallback={
        <div class="too-broad-only">
          <EmptyState
            icon={<SearchX />}
            title="Nothing in the newest tickets"
            text={props.advice}
            action={older()}
          />
        </div>
      }
    >
      <div class="too-broad">
        <p class="too-broad-text">{props.advice}</p>
        {older()}
      </div>
    </Show>
  )
}
