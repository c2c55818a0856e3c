import CircleCheck from 'lucide-solid/icons/circle-check'
import Inbox from 'lucide-solid/icons/inbox'
import SearchX from 'lucide-solid/icons/search-x'
import { For, Match, Show, Switch } from 'solid-js'
import { codeOf, errorMessage } from '../../api/api-problem.ts'
import { FailedState } from '../../forms/failed-state.tsx'
import { Button } from '../../ui/button.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { InboxLocation } from '../location.ts'
import { SEARCH } from '../rail/views.ts'
import { SEARCH_KEYS } from '../search/suggestions.ts'
import { FirstSteps, useIsFirstDay } from './first-steps.tsx'
import './list-states.css'

/** The views in which a new user looks for tickets. */
const FIRST_VIEWS: readonly string[] = ['mine', 'unassigned', 'open']
const SKELETON_ROWS = 8

const TEXTS: Record<string, { title: string; text: string }> = {
  mine: { title: 'All done', text: 'No open tickets are assigned to you.' },
  unassigned: { title: 'No unassigned tickets', text: 'Everything is assigned.' },
  open: { title: 'All done', text: 'There are no open tickets.' },
  pending: { title: 'No pending tickets', text: 'Tickets waiting on the customer appear here.' },
  resolved: { title: 'No resolved tickets', text: 'Resolved tickets appear here.' },
  failed: { title: 'No failed replies', text: "Replies that couldn't be sent appear here." },
  held: {
    title: 'No held replies',
    text: 'If a colleague replies first, your reply is held here.',
  },
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
          <dl class="list-states-filters">
            <For each={SEARCH_KEYS}>
              {({ text, detail }) => (
                <div>
                  <dt>
                    <code>{text}</code>
                  </dt>
                  <dd>{detail}</dd>
                </div>
              )}
            </For>
          </dl>
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
