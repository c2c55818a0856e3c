import { createUniqueId, For } from 'solid-js'
import type { Option } from './select.tsx'
import './field.css'

interface SegmentedControlProps<Value extends string> {
  label: string
  options: readonly Option<Value>[]
  value: Value
  onChange: (value: Value) => void
}

/** Two to four choices side by side, one of them selected: reply or note, light or dark. Arrow keys change it. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const name = createUniqueId()
  return (
    <fieldset class="segmented-control">
      <legend class="unseen">{props.label}</legend>
      <For each={props.options}>
        {(option) => (
          <label class="segmented-control-choice">
            <input
              class="unseen"
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === props.value}
              onChange={() => props.onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        )}
      </For>
    </fieldset>
  )
}
