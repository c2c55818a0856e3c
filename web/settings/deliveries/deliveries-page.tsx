import { useSearchParams } from '@solidjs/router'
import { useInfiniteQuery, useQuery } from '@tanstack/solid-query'
import Inbox from 'lucide-solid/icons/inbox'
import RotateCw from 'lucide-solid/icons/rotate-cw'
import { createMemo, createSignal, Show } from 'solid-js'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { StateBadge } from '../detail-list.tsx'
import { EVENT_OPTIONS, endpoints, shortAddress } from '../endpoints/endpoint-data.ts'
import { EntryList } from '../entry.tsx'
import { FilterSelect, fromLocal, type Since, TIME_RANGES, toLocal, withChosen } from '../filters.tsx'
import { LogPage } from '../query-view.tsx'
import {
  attemptSentence,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryFilter,
  deliveriesQuery,
  filterOf,
  isMoving,
  STATES,
} from './delivery-data.ts'
import { canResend, ResendAll, useResend } from './resend.tsx'
import './deliveries.css'

const MOVING_REFETCH_MS = 1_500
const IDLE_REFETCH_MS = 10_000

/** All deliveries to endpoints, newest first. The filter is kept in the URL. */
export function DeliveriesPage() {
  const [search, setSearch] = useSearchParams()
  const filter = createMemo(() => filterOf(search))
  const query = useInfiniteQuery(() => ({
    ...deliveriesQuery(filter()),
    reconcile: 'id',
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(isMoving)) ? MOVING_REFETCH_MS : IDLE_REFETCH_MS,
  }))
  return (
    <LogPage
      title="Delivery log"
      lead="Everything sent to your webhook endpoints, newest first. Headers and bodies are kept for 30 days, the rest for 90."
      actions={<ResendAll endpointId={filter().endpoint} />}
      filters={
        <DeliveryFilters filter={filter()} onChange={(change) => setSearch(change, { replace: true })} />
      }
      isFiltered={Object.keys(filter()).length > 0}
      query={query}
      what="deliveries"
      empty={{
        icon: <Inbox />,
        title: 'No deliveries yet',
        text: 'Once an endpoint is registered, every event that it gets appears here with its result.',
        action: <a href="/settings/endpoints">Go to endpoints</a>,
      }}
      noMatch={{
        // Then only the newest deliveries were searched.
        ...(query.hasNextPage
          ? {
              title: 'Nothing in the newest deliveries',
              text: 'Show more to search older ones, or try fewer filters.',
            }
          : { title: 'No matching deliveries', text: 'Try fewer filters.' }),
        action: <a href="/settings/deliveries">Show all deliveries</a>,
      }}
    >
      {(rows) => (
        <>
          <div class="entry-columns deliveries-page-columns deliveries-page-heads" aria-hidden="true">
            <span>State</span>
            <span>Event</span>
            <span>Endpoint</span>
            <span>Error</span>
            <span class="entry-time">Created</span>
          </div>
          <EntryList label="Deliveries" items={rows()}>
            {(delivery) => <DeliveryRow delivery={delivery} />}
          </EntryList>
        </>
      )}
    </LogPage>
  )
}

/** One delivery in the log: state, event, endpoint and time. */
function DeliveryRow(props: { delivery: Delivery }) {
  const resend = useResend()
  return (
    <li class="entry-linked">
      <a
        class="entry-link entry-columns deliveries-page-columns"
        href={`/settings/deliveries/${props.delivery.id}`}
      >
        <span>
          <StateBadge state={DELIVERY_STATES[props.delivery.state]} />
        </span>
        <span class="deliveries-page-event mono">
          {props.delivery.event}{' '}
          <Show when={props.delivery.isTest}>
            <Badge>test</Badge>
          </Show>
        </span>
        <span title={props.delivery.url}>{shortAddress(props.delivery.url)}</span>
        <span class="muted small">{errorText(props.delivery)}</span>
        <span class="entry-time">
          <Show when={props.delivery.attempts > 1}>
            <span class="deliveries-page-attempts">{props.delivery.attempts} attempts</span>
          </Show>
          <RelativeTime at={props.delivery.createdAt} />
        </span>
      </a>
      <div class="entry-actions">
        <IconButton
          name="Resend"
          size="small"
          isBusy={resend.isPending}
          disabled={!canResend(props.delivery)}
          onClick={() => resend.mutate(props.delivery)}
        >
          <RotateCw />
        </IconButton>
      </div>
    </li>
  )
}

/** The state already says the rest. */
function errorText(delivery: Delivery): string {
  return delivery.lastError && delivery.state !== 'succeeded' ? attemptSentence(delivery) : ''
}

/** Parameters of the URL. Null removes one. */
type Change = Record<'endpoint' | 'event' | 'state' | 'time' | 'since' | 'until', string | null>

interface DeliveryFiltersProps {
  filter: DeliveryFilter
  onChange: (change: Partial<Change>) => void
}

const STATE_OPTIONS = STATES.map((state) => ({
  value: state,
  label: DELIVERY_STATES[state].word,
  hint: DELIVERY_STATES[state].hint,
}))
const TIME_OPTIONS: { value: Since; label: string }[] = [
  ...TIME_RANGES,
  { value: 'exact', label: 'Between…' },
]

/** Four filters in a row. "Between…" adds two time fields. */
function DeliveryFilters(props: DeliveryFiltersProps) {
  const [isExact, setExact] = createSignal(Boolean(props.filter.since || props.filter.until))
  const isFiltered = () => Object.keys(props.filter).length > 0 || isExact()
  function chooseTime(value: Since | null) {
    setExact(value === 'exact')
    props.onChange({ time: value === 'exact' ? null : value, since: null, until: null })
  }
  function clear() {
    setExact(false)
    props.onChange({ endpoint: null, event: null, state: null, time: null, since: null, until: null })
  }
  return (
    <search class="deliveries-page-filters" aria-label="Filter deliveries">
      <EndpointFilter value={props.filter.endpoint} onChange={(endpoint) => props.onChange({ endpoint })} />
      <FilterSelect
        label="Event"
        anyLabel="All events"
        options={EVENT_OPTIONS}
        value={props.filter.event}
        onChange={(event) => props.onChange({ event })}
      />
      <FilterSelect
        label="State"
        anyLabel="Any state"
        options={STATE_OPTIONS}
        value={props.filter.state}
        onChange={(state) => props.onChange({ state })}
      />
      <FilterSelect
        label="Time"
        anyLabel="Any time"
        options={TIME_OPTIONS}
        value={isExact() ? 'exact' : props.filter.time}
        onChange={chooseTime}
      />
      <Show when={isFiltered()}>
        <Button look="quiet" onClick={clear}>
          Clear
        </Button>
      </Show>
      <Show when={isExact()}>
        <div class="deliveries-page-range">
          <TextField
            label="From"
            type="datetime-local"
            value={toLocal(props.filter.since)}
            onInput={(text) => props.onChange({ since: fromLocal(text) ?? null })}
          />
          <TextField
            label="Until"
            type="datetime-local"
            value={toLocal(props.filter.until)}
            onInput={(text) => props.onChange({ until: fromLocal(text) ?? null })}
          />
        </div>
      </Show>
    </search>
  )
}

function EndpointFilter(props: { value: string | undefined; onChange: (id: string | null) => void }) {
  const query = useQuery(() => endpoints.list)
  const options = () =>
    (query.data?.data ?? []).map(({ id, url, description }) => ({
      value: id,
      label: shortAddress(url),
      ...(description && { hint: description }),
    }))
  return (
    <FilterSelect
      label="Endpoint"
      anyLabel="All endpoints"
      options={withChosen(options(), props.value)}
      value={props.value}
      onChange={props.onChange}
    />
  )
}
