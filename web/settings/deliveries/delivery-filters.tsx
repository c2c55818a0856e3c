import { useQuery } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { endpointsQuery, shortAddress } from '../endpoints/endpoint-data.ts'
import { FilterSelect } from '../filter-select.tsx'
import { fromLocal, type Since, TIME_RANGES, toLocal } from '../time-range.ts'
import { type DeliveryFilter, EVENT_NAMES, STATES } from './delivery-data.ts'
import { STATE_WORDS } from './delivery-state.tsx'
import './delivery-filters.css'

/** Parameters of the URL. Null removes one. */
type Change = Record<'endpoint' | 'event' | 'state' | 'time' | 'since' | 'until', string | null>

interface DeliveryFiltersProps {
  filter: DeliveryFilter
  onChange: (change: Partial<Change>) => void
}

const EVENT_OPTIONS = EVENT_NAMES.map((event) => ({ value: event, label: event }))
const STATE_OPTIONS = STATES.map((state) => ({
  value: state,
  label: STATE_WORDS[state].word,
  hint: STATE_WORDS[state].hint,
}))
const TIME_OPTIONS: { value: Since; label: string }[] = [
  ...TIME_RANGES.map(({ value, label }) => ({ value, label })),
  { value: 'exact', label: 'Between…' },
]

/** Four filters in a row. "Between…" adds two time fields. */
export function DeliveryFilters(props: DeliveryFiltersProps) {
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
    <search class="delivery-filters" aria-label="Filter deliveries">
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
        <div class="delivery-filters-range">
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
  const query = useQuery(() => endpointsQuery)
  const options = () => {
    const listed = (query.data?.data ?? []).map(({ id, url, description }) => ({
      value: id,
      label: shortAddress(url),
      ...(description && { hint: description }),
    }))
    // A deleted endpoint is not in the list, but its deliveries can still be read.
    const isMissing = props.value && !listed.some(({ value }) => value === props.value)
    return isMissing ? [...listed, { value: props.value ?? '', label: props.value ?? '' }] : listed
  }
  return (
    <FilterSelect
      label="Endpoint"
      anyLabel="All endpoints"
      options={options()}
      value={props.value}
      onChange={props.onChange}
    />
  )
}
