import { type JSX, splitProps } from 'solid-js'
import { Field, type FieldProps } from './field.tsx'
import './text-field.css'
import { createValidity } from './validity.ts'

type Given = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput' | 'value' | 'id'>

interface TextFieldProps extends FieldProps, Given {
  value: string
  onInput: (value: string) => void
  /** Stands in the field, at its right end. */
  action?: JSX.Element
}

/** One line of text with its label. Attributes of `<input>` go to the input. */
export function TextField(props: TextFieldProps) {
  const validity = createValidity()
  const [field, own, rest] = splitProps(
    props,
    ['label', 'isLabelHidden', 'hint', 'error', 'aside'],
    ['value', 'onInput', 'action', 'class'],
  )
  return (
    <Field {...field} error={validity.fault() ?? field.error}>
      {(ids) => (
        <div class="text-field">
          <input
            type="text"
            {...rest}
            {...ids}
            class={`input ${own.class ?? ''}`}
            value={own.value}
            onInvalid={validity.check}
            onInput={(event) => {
              validity.clear()
              own.onInput(event.currentTarget.value)
            }}
          />
          {own.action}
        </div>
      )}
    </Field>
  )
}
