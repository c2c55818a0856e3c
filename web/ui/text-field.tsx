import { type Accessor, createSignal, type JSX, splitProps } from 'solid-js'
import { Field, type FieldProps } from './field.tsx'
import './field.css'

type InputAttributes = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput' | 'value' | 'id'>

interface TextFieldProps extends FieldProps, InputAttributes {
  value: string
  onInput: (value: string) => void
  /** Shown inside the field, at its right edge. */
  action?: JSX.Element
  /** An address, an id or the like: the browser neither suggests nor corrects anything. */
  isVerbatim?: boolean
}

const VERBATIM = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const

/** A labeled single-line input. `<input>` attributes go to the input. */
export function TextField(props: TextFieldProps) {
  const validity = createValidity()
  const [field, own, rest] = splitProps(
    props,
    ['label', 'isLabelHidden', 'hint', 'error', 'aside', 'below'],
    ['value', 'onInput', 'action', 'class', 'isVerbatim'],
  )
  return (
    <Field {...field} error={validity.fault() ?? field.error}>
      {(ids) => (
        <div class="text-field">
          <input
            type="text"
            {...(own.isVerbatim && VERBATIM)}
            {...rest}
            {...ids}
            class={`field-input ${own.class ?? ''}`}
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

type TextAreaAttributes = Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, 'onInput' | 'value' | 'id'>

interface TextAreaProps extends FieldProps, TextAreaAttributes {
  value: string
  onInput: (value: string) => void
}

/** A labeled multi-line input that grows with its text. */
export function TextArea(props: TextAreaProps) {
  const validity = createValidity()
  const [field, own, rest] = splitProps(
    props,
    ['label', 'isLabelHidden', 'hint', 'error', 'aside', 'below'],
    ['value', 'onInput', 'class'],
  )
  return (
    <Field {...field} error={validity.fault() ?? field.error}>
      {(ids) => (
        <textarea
          {...rest}
          {...ids}
          class={`field-input text-field-area ${own.class ?? ''}`}
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

type Control = HTMLInputElement | HTMLTextAreaElement

/** Shows the browser's validation message below the field instead of in the browser's bubble. */
function createValidity(): {
  fault: Accessor<string | undefined>
  check: (event: Event) => void
  clear: () => void
} {
  const [fault, setFault] = createSignal<string>()

  function check(event: Event): void {
    const control = event.currentTarget
    if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement)) return
    event.preventDefault()
    setFault(messageFor(control))
    // Without its bubble the browser doesn't focus the field.
    if (control.form?.querySelector('input:invalid, textarea:invalid') === control) control.focus()
  }

  return { fault, check, clear: () => setFault(undefined) }
}

function messageFor({ validity, type, validationMessage }: Control): string {
  if (validity.valueMissing) return 'Required'
  if (validity.typeMismatch && type === 'email') return 'Enter an email address, like ana@example.com.'
  if (validity.typeMismatch && type === 'url') return 'Enter a full URL, like https://example.com.'
  return validationMessage
}
