import { For, Show } from 'solid-js'
import type { FormFields } from '../../forms/create-form.ts'
import { channelName } from '../../ticket/ticket-names.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { Disclosure } from '../disclosure.tsx'
import { CHANGES, CHANNELS, type EndpointValues } from './endpoint-data.ts'
import './filter-fields.css'

/** Which of its events an endpoint gets. Nothing chosen means all. */
export function FilterFields(props: { form: FormFields<EndpointValues> }) {
  const { form } = props
  const isFiltered = () =>
    form.values.channels.length > 0 || form.values.tags !== '' || form.values.changes.length > 0
  return (
    <Disclosure class="filter-fields" isOpen={isFiltered()} summary={<strong>Filters</strong>}>
      <div class="stack">
        <Choices
          legend="Channels"
          hint="Only tickets of these channels. None chosen: all."
          options={CHANNELS.map((channel) => ({ value: channel, label: channelName(channel) }))}
          chosen={form.values.channels}
          onChange={(channels) => form.set({ channels })}
        />
        <TextField
          {...form.text('tags')}
          label="Tags"
          aside="optional"
          hint="Only tickets with one of these tags, separated by commas."
          placeholder="vip, urgent"
        />
        <Show when={form.values.events.includes('ticket.updated')}>
          <Choices
            legend="Changes"
            hint="ticket.updated only when one of these changes. None chosen: any."
            options={CHANGES}
            chosen={form.values.changes}
            onChange={(changes) => form.set({ changes })}
          />
        </Show>
      </div>
    </Disclosure>
  )
}

function Choices<Value extends string>(props: {
  legend: string
  hint: string
  options: readonly { value: Value; label: string }[]
  chosen: readonly Value[]
  onChange: (chosen: Value[]) => void
}) {
  const toggle = (value: Value, isChosen: boolean) =>
    props.onChange(
      props.options
        .map((one) => one.value)
        .filter((one) => (one === value ? isChosen : props.chosen.includes(one))),
    )
  return (
    <fieldset class="form-choices stack-tight">
      <legend>{props.legend}</legend>
      <p class="muted small">{props.hint}</p>
      <div class="filter-fields-columns">
        <For each={props.options}>
          {({ value, label }) => (
            <Checkbox
              label={label}
              isChecked={props.chosen.includes(value)}
              onChange={(isChosen) => toggle(value, isChosen)}
            />
          )}
        </For>
      </div>
    </fieldset>
  )
}
