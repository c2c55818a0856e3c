import { createUniqueId, type JSX, Show } from 'solid-js'
import { ErrorText } from './error-text.tsx'
import './field.css'

export interface FieldProps {
  label: string
  /** Said to screen readers, but not shown. */
  isLabelHidden?: boolean
  /** One sentence that explains it, below. */
  hint?: JSX.Element
  /** What is wrong with it. */
  error?: string
  /** Beside the label, such as "optional". */
  aside?: JSX.Element
}

/** What the control inside has to carry so that its label, hint and error are read out with it. */
interface FieldIds {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** A label, one control, its hint and its error. The control comes from `children` and takes the ids it is given. */
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
      <Show when={props.error}>{(error) => <ErrorText id={`${id}-error`}>{error()}</ErrorText>}</Show>
      <Show when={props.hint}>
        <p class="field-hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      </Show>
    </div>
  )
}
