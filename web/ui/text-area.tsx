import { type JSX, splitProps } from 'solid-js'
import { Field, type FieldProps } from './field.tsx'
import './text-area.css'
import { createValidity } from './validity.ts'

type Given = Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, 'onInput' | 'value' | 'id'>

interface TextAreaProps extends FieldProps, Given {
  value: string
  onInput: (value: string) => void
}

/** Several lines of text with their label. It grows with what is typed. */
export function TextArea(props: TextAreaProps) {
  const validity = createValidity()
  const [field, own, rest] = splitProps(
    props,
    ['label', 'isLabelHidden', 'hint', 'error', 'aside'],
    ['value', 'onInput', 'class'],
  )
  return (
    <Field {...field} error={validity.fault() ?? field.error}>
      {(ids) => (
        <textarea
          {...rest}
          {...ids}
          class={`input text-area ${own.class ?? ''}`}
          value={own.value}
          onInvalid={validity.check}
          onInput={(event) => {
            validity.clear()
            own.onInput(event.currentTarget.value)
          }}
        />
      )}
    </Field>
  )
}
