import { createSignal, type JSX, Show } from 'solid-js'
import { isComposing } from '../../ui/ime.ts'
import './editable-field.css'

interface EditableFieldProps {
  /** For screen readers and for what is shown while it is empty: "Add company". */
  label: string
  value: string
  onSave: (value: string) => void
  maxLength?: number
  /** Several lines: Enter begins a new one, and Ctrl+Enter or leaving the field saves. */
  isLong?: boolean
  /** It can't be emptied. */
  isRequired?: boolean
  /** How the value is shown. By default as text. */
  children?: JSX.Element
}

/** A text that becomes a field when it is clicked. Enter or leaving it saves, Escape cancels. */
export function EditableField(props: EditableFieldProps) {
  /** The value when editing began. Updates from the server leave the field alone. */
  const [original, setOriginal] = createSignal<string>()
  let button: HTMLButtonElement | undefined
  let isDone = false

  function begin() {
    isDone = false
    setOriginal(props.value)
  }

  function end(typed: string | undefined) {
    if (isDone) return
    isDone = true
    const before = original() ?? ''
    const focused = document.activeElement
    const hadFocus = focused instanceof HTMLInputElement || focused instanceof HTMLTextAreaElement
    setOriginal(undefined)
    if (hadFocus) button?.focus()
    const next = typed?.trim()
    if (next !== undefined && next !== before && !(props.isRequired && next === '')) props.onSave(next)
  }

  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) {
    if (isComposing(event)) return
    const isEnter = event.key === 'Enter' && (!props.isLong || event.ctrlKey || event.metaKey)
    if (isEnter) end(event.currentTarget.value)
    else if (event.key === 'Escape') end(undefined)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <Show
      when={original() !== undefined}
      fallback={
        <button
          type="button"
          class="editable-field"
          data-long={props.isLong || undefined}
          data-empty={props.value === '' || undefined}
          aria-label={
            props.value === ''
              ? `Add ${props.label.toLowerCase()}`
              : `Edit ${props.label.toLowerCase()}: ${props.value}`
          }
          ref={button}
          onClick={begin}
        >
          {props.value === '' ? 'Add…' : (props.children ?? props.value)}
        </button>
      }
    >
      <Show
        when={props.isLong}
        fallback={
          <input
            class="editable-field-input"
            aria-label={props.label}
            maxLength={props.maxLength}
            autocomplete="off"
            value={original()}
            ref={(input) => queueMicrotask(() => input.select())}
            onBlur={(event) => end(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        }
      >
        <textarea
          class="editable-field-input editable-field-long"
          aria-label={props.label}
          maxLength={props.maxLength}
          value={original()}
          ref={(field) => queueMicrotask(() => field.focus())}
          onBlur={(event) => end(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </Show>
    </Show>
  )
}
