import { Select as Base } from '@kobalte/core/select'
import Check from 'lucide-solid/icons/check'
import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down'
import { createMemo, Show, splitProps } from 'solid-js'
import { Field, type FieldProps } from './field.tsx'
import { keepVisibleToScreenReaders } from './menu.tsx'
import './menu.css'
import './field.css'

export interface Option<Value extends string = string> {
  value: Value
  label: string
  /** A few words below the label. */
  hint?: string
}

interface SelectProps<Value extends string> extends FieldProps {
  options: readonly Option<Value>[]
  value: Value
  onChange: (value: Value) => void
}

/** A choice of up to about ten options. Use `Picker` for more, or to search them. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const [field] = splitProps(props, ['label', 'isLabelHidden', 'hint', 'error', 'aside'])
  // The same list, read again, would make new rows, and an open menu would lose the focus and close.
  const options = createMemo(() => [...props.options], [], {
    equals: (before, now) => JSON.stringify(before) === JSON.stringify(now),
  })
  const chosen = () => options().find(({ value }) => value === props.value)
  return (
    <Field {...field}>
      {(ids) => (
        <Base<Option<Value>>
          options={options()}
          optionValue="value"
          optionTextValue="label"
          value={chosen()}
          // Kobalte also calls it with the chosen option when the list of options was read again.
          onChange={(option) => option && option.value !== props.value && props.onChange(option.value)}
          disallowEmptySelection
          placement="bottom-start"
          gutter={4}
          sameWidth
          preventScroll={false}
          itemComponent={(item) => (
            <Base.Item item={item.item} class="menu-item">
              <div class="menu-text">
                <Base.ItemLabel>{item.item.rawValue.label}</Base.ItemLabel>
                <Show when={item.item.rawValue.hint}>
                  <p class="field-hint">{item.item.rawValue.hint}</p>
                </Show>
              </div>
              <Base.ItemIndicator class="menu-tick">
                <Check />
              </Base.ItemIndicator>
            </Base.Item>
          )}
        >
          <Base.Trigger {...ids} class="field-input select" aria-label={props.label}>
            <Base.Value<Option<Value>> class="select-value">
              {(state) => state.selectedOption()?.label}
            </Base.Value>
            <ChevronsUpDown />
          </Base.Trigger>
          <Base.Portal ref={keepVisibleToScreenReaders}>
            <Base.Content class="menu select-menu">
              <Base.Listbox class="select-list" />
            </Base.Content>
          </Base.Portal>
        </Base>
      )}
    </Field>
  )
}
