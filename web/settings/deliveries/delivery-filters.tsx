import { useQuery } from '@tanstack/solid-query'
import { createSignal, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { endpointsQuery, shortAddress } from '../endpoints/endpoint-data.ts'
import { fromLocal, isStretch, STRETCHES, toLocal } from '../time-range.ts'
import { STATE_WORDS } from './delivery-state.tsx'
import { type DeliveryFilter, EVENT_NAMES, STATES } from './filter.ts'

/** What stands in the address; null takes it out. */
type Change = Record<'endpoint' | 'event' | 'state' | 'time' | 'since' | 'until', string | null>

interface DeliveryFiltersProps {
  filter: DeliveryFilter
  onChange: (change: Partial<Change>) => void
}

const ANY = 'any'
const EVENT_OPTIONS = [
  { value: ANY, label: 'Every event' },
  ...EVENT_NAMES.map((event) => ({ value: event, label: event })),
]
const STATE_OPTIONS = [
  { value: ANY, label: 'Every state' },
  ...STATES.map((state) => ({ value: state, label: STATE_WORDS[state].word, hint: STATE_WORDS[state].hint })),
]
const TIME_OPTIONS = [
  { value: ANY, label: 'At any time' },
  ...STRETCHES.map(({ value, label }) => ({ value, label: `In ${label}` })),
  { value: 'exact', label: 'Between…' },
]

/** Four filters beside each other; two moments appear when somebody wants them. */
export function DeliveryFilters(props: DeliveryFiltersProps) {
  const [isExact, setExact] = createSignal(Boolean(props.filter.since || props.filter.until))
  const time = () => (isExact() ? 'exact' : (props.filter.time ?? ANY))
  const isFiltered = () => Object.keys(props.filter).length > 0 || isExact()
  const chosen = (value: string) => (value === ANY ? null : value)
  function chooseTime(value: string) {
    setExact(value === 'exact')
    props.onChange({ time: isStretch(value) ? value : null, since: null, until: null })
  }
  function clear() {
    setExact(false)
    props.onChange({ endpoint: null, event: null, state: null, time: null, since: null, until: null })
  }
  return (
    <search class="filters" aria-label="Filter the deliveries">
      <EndpointSelect
        value={props.filter.endpoint}
        onChange={(value) => props.onChange({ endpoint: chosen(value) })}
      />
      <Select
        label="Event"
        isLabelHidden
        options={EVENT_OPTIONS}
        value={props.filter.event ?? ANY}
        onChange={(value) => props.onChange({ event: chosen(value) })}
      />
      <Select
        label="State"
        isLabelHidden
        options={STATE_OPTIONS}
        value={props.filter.state ?? ANY}
        onChange={(value) => props.onChange({ state: chosen(value) })}
      />
      <Select label="Time" isLabelHidden options={TIME_OPTIONS} value={time()} onChange={chooseTime} />
      <Show when={isFiltered()}>
        <Button look="quiet" onClick={clear}>
          Clear
        </Button>
      </Show>
      <Show when={isExact()}>
        <div class="filter-moments">
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

function EndpointSelect(props: { value: string | undefined; onChange: (value: string) => void }) {
  const query = useQuery(() => endpointsQuery)
  const known = () => (query.isPending || query.isLoadingError ? undefined : query.data?.data) ?? []
  const options = () => {
    const listed = known().map(({ id, url, description }) => ({
      value: id,
      label: shortAddress(url),
      ...(description && { hint: description }),
    }))
    // A deleted endpoint is in no list, yet its deliveries can be read.
    const isMissing = props.value && !listed.some(({ value }) => value === props.value)
    const missing = isMissing && props.value ? [{ value: props.value, label: props.value }] : []
    return [{ value: ANY, label: 'Every endpoint' }, ...listed, ...missing]
  }
  return (
    <Select
      label="Endpoint"
      isLabelHidden
      options={options()}
      value={props.value ?? ANY}
      onChange={(value) => props.onChange(value)}
    />
  )
}
