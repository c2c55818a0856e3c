import { createUniqueId, type JSX, Show } from 'solid-js'
import './field.css'

interface CheckboxProps {
  label: JSX.Element
  hint?: JSX.Element
  isChecked: boolean
  onChange: (isChecked: boolean) => void
  /** A switch takes effect at once; a checkbox is part of a form that is saved. */
  role?: 'switch'
}

/** A checkbox in a form. Use `Switch` for settings that take effect at once. */
export function Checkbox(props: CheckboxProps) {
  const id = createUniqueId()
  return (
    <div class="checkbox">
      <input
        type="checkbox"
        id={id}
        class={props.role ? 'checkbox-switch' : 'checkbox-box'}
        role={props.role}
        checked={props.isChecked}
        aria-describedby={props.hint ? `${id}-hint` : undefined}
        onChange={(event) => {
          props.onChange(event.currentTarget.checked)
          // Controlled: shows `isChecked` until the page changes it.
          event.currentTarget.checked = props.isChecked
        }}
      />
      <div>
        <label for={id}>{props.label}</label>
        <Show when={props.hint}>
          <p class="field-hint" id={`${id}-hint`}>
            {props.hint}
          </p>
        </Show>
      </div>
    </div>
  )
}

/** A setting that takes effect at once. */
export function Switch(props: Omit<CheckboxProps, 'role'>) {
  return <Checkbox {...props} role="switch" />
}
