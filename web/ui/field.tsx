import { createUniqueId, type JSX, Show } from 'solid-js'
import { ErrorText } from './error-text.tsx'
import './field.css'

export interface FieldProps {
  label: string
  /** Only for screen readers. */
  isLabelHidden?: boolean
  /** One sentence of explanation, below the control. */
  hint?: JSX.Element
  /** What is wrong with the value. */
  error?: string
  /** Directly below the control, such as its toolbar. */
  below?: JSX.Element
  /** Next to the label, such as "optional". */
  aside?: JSX.Element
}

/** Attributes that tie the control to its label, hint and error for screen readers. */
interface FieldIds {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** A label, one control, its hint and its error. `children` renders the control with the given attributes. */
export function Field(props: FieldProps & { children: (ids: FieldIds) => JSX.Element }) {
  const id = createUniqueId()
  const ids: FieldIds = {
    id,
    get 'aria-describedby'() {
      const named = [props.error && `${id}-error`, props.hint && `${id}-hint`].filter(Boolean).join(' ')
      return named || undefined
    },
    get 'aria-invalid'() {
      return props.error ? (true as const) : undefined
    },
  }
  return (
    <div class="field">
      <div class="field-head" classList={{ unseen: props.isLabelHidden }}>
        <label for={id}>{props.label}</label>
        <Show when={props.aside}>
          <span class="field-aside">{props.aside}</span>
        </Show>
      </div>
      {props.children(ids)}
      {props.below}
      <Show when={props.error}>{(error) => <ErrorText id={`${id}-error`}>{error()}</ErrorText>}</Show>
      <Show when={props.hint}>
        <p class="field-hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      </Show>
    </div>
  )
}
